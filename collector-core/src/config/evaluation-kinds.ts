import {
  EVALUATION_DIRECTIONS,
  PARAMETER_TYPES,
  type EvaluationDirection,
} from "../api-schema/evaluation-types.js";
import { isRecord } from "../span/span-facts.js";
import { number, type OptionKind, type Reading } from "./option-kinds.js";
import { showRaw } from "./show-value.js";

/** A user-defined evaluation type (contract 5, `evaluation.types`). */
export interface CustomEvaluationType {
  /** The prompt for the judge. */
  readonly prompt: string;
  /** Default `maximize`. */
  readonly direction?: EvaluationDirection;
  /** Labels that the judge may give a score, worst first. */
  readonly labels?: readonly string[];
}

/** User-defined evaluation types by name. */
export type CustomEvaluationTypes = Readonly<Record<string, CustomEvaluationType>>;

const NAME = /^[a-zA-Z][a-zA-Z0-9_.-]{0,63}$/;
const MAX_PROMPT_LENGTH = 20_000;
const MAX_LABELS = 20;
const MAX_LABEL_LENGTH = 64;

/** A map of types: a YAML map, or JSON in the environment variable. A built-in name replaces the built-in type. */
export const customEvaluationTypes: OptionKind<CustomEvaluationTypes> = {
  rule: "an object of types by name, each with prompt and optionally direction and labels",
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
  check(value): Reading<CustomEvaluationTypes> {
    if (!isRecord(value)) return { ok: false, detail: "" };
    const problems = Object.entries(value).flatMap(([name, type]) => {
      const problem = typeProblem(name, type);
      return problem === undefined ? [] : [`type ${showRaw(JSON.stringify(name))}: ${problem}`];
    });
    const [first, ...more] = problems;
    if (first !== undefined) return { ok: false, detail: first, moreDetails: more };
    return { ok: true, value: value as unknown as CustomEvaluationTypes };
  },
};

function typeProblem(name: string, type: unknown): string | undefined {
  if (!NAME.test(name)) return "the name must be a letter and up to 63 letters, digits, _ . -";
  if (Object.hasOwn(PARAMETER_TYPES, name)) return "a built-in type that uses no judge has this name";
  if (!isRecord(type)) return "the value must be an object";
  const unknown = Object.keys(type).find((key) => !["prompt", "direction", "labels"].includes(key));
  if (unknown !== undefined) return `the key ${showRaw(JSON.stringify(unknown))} is unknown`;
  const { prompt, direction, labels } = type;
  if (typeof prompt !== "string" || prompt.trim() === "" || prompt.length > MAX_PROMPT_LENGTH)
    return `prompt must be a string of 1 to ${MAX_PROMPT_LENGTH} characters`;
  if (direction !== undefined && !EVALUATION_DIRECTIONS.includes(direction as EvaluationDirection))
    return `direction must be one of ${EVALUATION_DIRECTIONS.join(", ")}`;
  if (labels !== undefined && !areLabels(labels))
    return `labels must be a list of at most ${MAX_LABELS} strings of 1 to ${MAX_LABEL_LENGTH} characters`;
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

/** Numbers by evaluation type: a YAML map, or `relevance=0.8,toxicity=0.1` in the environment variable. */
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
        return { ok: false, detail: `the value of ${showRaw(JSON.stringify(type))} is not` };
    return { ok: true, value: value as Record<string, number> };
  },
};
