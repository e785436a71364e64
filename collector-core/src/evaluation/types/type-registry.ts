import {
  BUILT_IN_TYPES,
  evaluationTypeName,
  PARAMETER_TYPES,
  type BuiltInTypeName,
  type EvaluationDirection,
} from "../../api-schema/evaluation-types.js";
import type { Clock } from "../../runtime/clock.js";
import type { EvaluationType } from "../evaluation-type.js";
import { RUBRICS } from "./built-in-rubrics.js";
import { createTextChecks, type FindPersonalData, type TextCheckName } from "./text-checks.js";

/** A custom type of the configuration (`evaluation.types`). */
export interface CustomType {
  readonly prompt: string;
  readonly direction?: EvaluationDirection;
  readonly labels?: readonly string[];
}

/** Options of {@link createTypeRegistry}. */
export interface TypeRegistryOptions {
  readonly customTypes: Readonly<Record<string, CustomType>>;
  readonly findPersonalData: FindPersonalData;
  readonly clock: Pick<Clock, "monotonic">;
  /** Redacts the text of a `criteria:` type before it is sent to the judge. */
  readonly redactText: (text: string) => string;
}

/** Finds evaluation types by id. */
export interface TypeRegistry {
  /** Returns the type, or the reason why there is none. */
  find(id: string): EvaluationType | string;
  /** Returns the reason why a type cannot run; undefined for a valid type. */
  problemOf(id: string): Promise<string | undefined>;
  /** Lists the available types with their syntax and direction. */
  list(): { readonly name: string; readonly usage: string; readonly direction: EvaluationDirection }[];
}

/** Maximum length of the text of `criteria:<text>`. */
const MAX_CRITERIA_LENGTH = 4000;

/**
 * Registers the built-in types, the text checks, `criteria:` and the custom types, which replace built-in types by
 * name.
 */
export function createTypeRegistry({
  customTypes,
  findPersonalData,
  clock,
  redactText,
}: TypeRegistryOptions): TypeRegistry {
  const textChecks = createTextChecks({ findPersonalData, clock });
  const judged = new Map<string, EvaluationType>();
  for (const name of Object.keys(BUILT_IN_TYPES) as BuiltInTypeName[])
    judged.set(name, { kind: "judged", id: name, name, direction: BUILT_IN_TYPES[name], ...RUBRICS[name] });
  for (const [name, { prompt, direction = "maximize", labels }] of Object.entries(customTypes))
    judged.set(name, { kind: "judged", id: name, name, direction, rubric: withFieldNames(prompt), labels });

  function find(id: string): EvaluationType | string {
    const judgedType = judged.get(id);
    if (judgedType !== undefined) return judgedType;
    const name = evaluationTypeName(id);
    if (!isParameterType(name)) return `there is no evaluation type ${JSON.stringify(id.slice(0, 100))}`;
    const parameter = id.slice(name.length + 1);
    const { direction } = PARAMETER_TYPES[name];
    if (name === "criteria") return criteriaType(id, redactText(parameter));
    const compute = textChecks.check(name, parameter);
    return typeof compute === "string" ? compute : { kind: "computed", id, name, direction, compute };
  }

  return {
    find,
    async problemOf(id) {
      const type = find(id);
      if (typeof type === "string") return type;
      if (type.kind === "judged" || !isTextCheck(type.name)) return undefined;
      return await textChecks.problemOf(type.name, id.slice(type.name.length + 1));
    },
    list: () => [
      ...[...judged.values()].map(({ name, direction }) => ({ name, usage: name, direction })),
      ...Object.entries(PARAMETER_TYPES).map(([name, type]) => ({ name, ...type })),
    ],
  };
}

function isParameterType(name: string): name is keyof typeof PARAMETER_TYPES {
  return Object.hasOwn(PARAMETER_TYPES, name);
}

function isTextCheck(name: string): name is TextCheckName {
  return isParameterType(name) && name !== "criteria";
}

function criteriaType(id: string, criteria: string): EvaluationType | string {
  if (criteria.trim() === "") return "criteria must be written criteria:<text>";
  if (criteria.length > MAX_CRITERIA_LENGTH)
    return `the text after criteria: is longer than ${MAX_CRITERIA_LENGTH} characters`;
  return {
    kind: "judged",
    id,
    name: "criteria",
    direction: "maximize",
    labels: ["not met", "partly met", "met"],
    // The criterion comes from the sender of the span and is therefore quoted as data.
    rubric: `Criterion: does \`completion\` meet this criterion, given as a JSON string?
${JSON.stringify(criteria)}
1.0: it meets it in every respect. 0.5: in part. 0.0: it does not. Only the criterion counts.`,
  };
}

/**
 * Replaces placeholders such as `{{completion}}` in a custom prompt by the field name, not by the text: text of a
 * span never becomes part of the instructions.
 */
function withFieldNames(prompt: string): string {
  return prompt.replace(/\{\{\s*(\w+)\s*\}\}/g, "`$1`");
}
