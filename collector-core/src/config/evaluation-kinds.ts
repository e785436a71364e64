import {
  EVALUATION_DIRECTIONS,
  PARAMETER_TYPES,
  type EvaluationDirection,
} from "../api-schema/evaluation-types.js";
import { isRecord } from "../span/span-facts.js";
import { number, type OptionKind, type Reading } from "./option-kinds.js";
import { showRaw } from "./show-value.js";

/** An evaluation type of a user's own (contract 5, `evaluation.types`). */
export interface OwnEvaluationType {
  /** What the judge is asked. */
  readonly prompt: string;
  /** Default `maximize`. */
  readonly direction?: EvaluationDirection;
  /** What the judge may call a score, the worst first. */
  readonly labels?: readonly string[];
}

/** Own evaluation types by name. */
export type OwnEvaluationTypes = Readonly<Record<string, OwnEvaluationType>>;

const NAME = /^[a-zA-Z][a-zA-Z0-9_.-]{0,63}$/;
const MAX_PROMPT_LENGTH = 20_000;
const MAX_LABELS = 20;
const MAX_LABEL_LENGTH = 64;

/** A map of types: in YAML as it is, in an environment variable as JSON. A built-in one is replaced by its name. */
export const ownEvaluationTypes: OptionKind<OwnEvaluationTypes> = {
  rule: "an object of types by name, each with prompt, and if need be direction and labels",
  schema: {
    type: "object",
    propertyNames: { pattern: NAME.source },
    additionalProperties: {
      type: "object",
      additionalProperties: false,
      required: ["prompt"],
      properties: {
        prompt: { type: "string", minLength: 1, maxLength: MAX_PROMPT_LENGTH },
        direction: { enum: EVALUATION_DIRECTIONS },
        labels: {
          type: "array",
          maxItems: MAX_LABELS,
          items: { type: "string", minLength: 1, maxLength: MAX_LABEL_LENGTH },
        },
      },
    },
  },
  parse(text) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  },
  check(value): Reading<OwnEvaluationTypes> {
    if (!isRecord(value)) return { ok: false, detail: "" };
    const problems = Object.entries(value).flatMap(([name, type]) => {
      const problem = typeProblem(name, type);
      return problem === undefined ? [] : [`of type ${showRaw(JSON.stringify(name))} ${problem}`];
    });
    const [first, ...more] = problems;
    if (first !== undefined) return { ok: false, detail: first, moreDetails: more };
    return { ok: true, value: value as unknown as OwnEvaluationTypes };
  },
};

function typeProblem(name: string, type: unknown): string | undefined {
  if (!NAME.test(name)) return "the name must be a letter and up to 63 letters, digits, _ . -";
  if (Object.hasOwn(PARAMETER_TYPES, name)) return "the name is taken by a built-in one that asks no judge";
  if (!isRecord(type)) return "there must be an object";
  const unknown = Object.keys(type).find((key) => !["prompt", "direction", "labels"].includes(key));
  if (unknown !== undefined) return `the key ${JSON.stringify(unknown)} is unknown`;
  const { prompt, direction, labels } = type;
  if (typeof prompt !== "string" || prompt.trim() === "" || prompt.length > MAX_PROMPT_LENGTH)
    return `prompt must be a text of 1 to ${MAX_PROMPT_LENGTH} characters`;
  if (direction !== undefined && !EVALUATION_DIRECTIONS.includes(direction as EvaluationDirection))
    return `direction must be one of ${EVALUATION_DIRECTIONS.join(", ")}`;
  if (labels !== undefined && !areLabels(labels))
    return `labels must be a list of at most ${MAX_LABELS} texts of 1 to ${MAX_LABEL_LENGTH} characters`;
  return undefined;
}

function areLabels(labels: unknown): boolean {
  return (
    Array.isArray(labels) &&
    labels.length <= MAX_LABELS &&
    labels.every(
      (label) => typeof label === "string" && label.length >= 1 && label.length <= MAX_LABEL_LENGTH,
    )
  );
}

const threshold = number({ minimum: 0, maximum: 1 });

/** Numbers by evaluation type: a YAML map, or in an environment variable `relevance=0.8,toxicity=0.1`. */
export const evaluationThresholds: OptionKind<Readonly<Record<string, number>>> = {
  rule: "evaluation types with numbers from 0 to 1 (in the variable: relevance=0.8,toxicity=0.1)",
  schema: { type: "object", additionalProperties: threshold.schema },
  parse(text) {
    const entries = text.split(",").map((pair) => {
      const at = pair.lastIndexOf("=");
      return [pair.slice(0, Math.max(at, 0)).trim(), threshold.parse(pair.slice(at + 1).trim())] as const;
    });
    return entries.some(([name]) => name === "") ? undefined : Object.fromEntries(entries);
  },
  check(value) {
    if (!isRecord(value)) return { ok: false, detail: "" };
    for (const [type, bound] of Object.entries(value))
      if (!threshold.check(bound).ok)
        return { ok: false, detail: `that of ${showRaw(JSON.stringify(type))} is none` };
    return { ok: true, value: value as Record<string, number> };
  },
};
