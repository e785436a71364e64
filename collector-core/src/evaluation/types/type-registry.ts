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

/** A type of a user's own, as it is configured (`evaluation.types`). */
export interface OwnType {
  readonly prompt: string;
  readonly direction?: EvaluationDirection;
  readonly labels?: readonly string[];
}

/** What {@link createTypeRegistry} needs. */
export interface TypeRegistryOptions {
  readonly ownTypes: Readonly<Record<string, OwnType>>;
  readonly findPersonalData: FindPersonalData;
  readonly clock: Pick<Clock, "monotonic">;
  /** What a span's `criteria:` says goes to the judge only through this. */
  readonly redactText: (text: string) => string;
}

/** Knows every type that can be asked for. */
export interface TypeRegistry {
  /** The type, or in a sentence why there is none. */
  find(id: string): EvaluationType | string;
  /** In a sentence why a type cannot be run; undefined where it can. */
  problemOf(id: string): Promise<string | undefined>;
  /** Names that can be asked for, with how they are written and which way they count. */
  list(): { readonly name: string; readonly usage: string; readonly direction: EvaluationDirection }[];
}

/** Longest `criteria:<text>`. */
const MAX_CRITERIA_LENGTH = 4000;

/** The built-in types, those that need no judge, `criteria:` and the own ones, which replace built-in ones of their name. */
export function createTypeRegistry({
  ownTypes,
  findPersonalData,
  clock,
  redactText,
}: TypeRegistryOptions): TypeRegistry {
  const textChecks = createTextChecks({ findPersonalData, clock });
  const judged = new Map<string, EvaluationType>();
  for (const name of Object.keys(BUILT_IN_TYPES) as BuiltInTypeName[])
    judged.set(name, { kind: "judged", id: name, name, direction: BUILT_IN_TYPES[name], ...RUBRICS[name] });
  for (const [name, { prompt, direction = "maximize", labels }] of Object.entries(ownTypes))
    judged.set(name, { kind: "judged", id: name, name, direction, rubric: withFieldNames(prompt), labels });

  function find(id: string): EvaluationType | string {
    const known = judged.get(id);
    if (known !== undefined) return known;
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
    return `what follows criteria: is longer than ${MAX_CRITERIA_LENGTH} characters`;
  return {
    kind: "judged",
    id,
    name: "criteria",
    direction: "maximize",
    labels: ["not met", "partly met", "met"],
    // It comes with a span, from whoever may send spans: it says what to look for, and is quoted as data is.
    rubric: `Criterion: does \`completion\` meet this criterion, given as a JSON string?
${JSON.stringify(criteria)}
1.0: it meets it in every respect. 0.5: in part. 0.0: it does not. Only the criterion counts.`,
  };
}

/**
 * In an own prompt `{{completion}}` and the like name a field of the material. They are not replaced by its text: what a
 * span says never stands among the instructions.
 */
function withFieldNames(prompt: string): string {
  return prompt.replace(/\{\{\s*(\w+)\s*\}\}/g, "`$1`");
}
