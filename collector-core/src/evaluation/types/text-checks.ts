import { RE2JS } from "re2js";
import type { EvaluatedText } from "../evaluated-text.js";
import type { ComputedType, Verdict } from "../evaluation-type.js";

/** Finds personal data in a text: what kinds, and how many of each. */
export type FindPersonalData = (text: string) => ReadonlyMap<string, number>;

/** Makes the check of a type's parameter, or says in a sentence why it cannot be used. */
type MakeCheck = (parameter: string) => ((completion: string) => Verdict) | string;

/** Longest `regex:` and `contains:`; RE2 compiles what it takes into memory. */
const MAX_PARAMETER_LENGTH = 1000;
/** The most often asked for types are few; a sender that makes up new ones compiles each anew. */
const MAX_KNOWN = 200;

/** Makes the types that need no judge (contract 8), from the name and what follows its colon. */
export function createTextChecks(findPersonalData: FindPersonalData) {
  const checks: Readonly<Record<"valid_json" | "pii_leak" | "length" | "regex" | "contains", MakeCheck>> = {
    valid_json: () => validJson,
    pii_leak: () => (completion) => personalDataVerdict(findPersonalData(completion)),
    length: makeLengthCheck,
    regex: makeRegexCheck,
    contains: makeContainsCheck,
  };
  const known = new Map<string, ReturnType<MakeCheck>>();

  /** The check of a type, or why there is none. */
  return function textCheck(name: keyof typeof checks, parameter: string): ComputedType["compute"] | string {
    const key = `${name}:${parameter}`;
    let check = known.get(key);
    if (check === undefined) {
      check = parameter.length > MAX_PARAMETER_LENGTH ? TOO_LONG : checks[name](parameter);
      if (known.size < MAX_KNOWN) known.set(key, check);
    }
    if (typeof check === "string") return check;
    const found = check;
    return (text: EvaluatedText) => found(text.completion ?? "");
  };
}

const TOO_LONG = `what follows the colon is longer than ${MAX_PARAMETER_LENGTH} characters`;

function validJson(completion: string): Verdict {
  try {
    JSON.parse(completion);
    return { score: 1, label: "valid", explanation: "The completion is one JSON document." };
  } catch {
    const isFenced = /^\s*```/.test(completion);
    return {
      score: 0,
      label: "invalid",
      explanation: isFenced
        ? "The completion stands in a code fence: the fence is not JSON."
        : "The completion cannot be parsed as JSON.",
    };
  }
}

function personalDataVerdict(found: ReadonlyMap<string, number>): Verdict {
  if (found.size === 0)
    return { score: 0, label: "clean", explanation: "No personal data or secret was found." };
  const kinds = [...found].map(([kind, count]) => `${count} × ${kind.replaceAll("_", " ")}`);
  return { score: 1, label: "leak", explanation: `The completion has ${kinds.join(", ")}.` };
}

function makeLengthCheck(parameter: string): ReturnType<MakeCheck> {
  const bounds = /^(\d{0,9})-(\d{0,9})$/.exec(parameter);
  const [, from = "", to = ""] = bounds ?? [];
  const minimum = Number(from);
  const maximum = to === "" ? Infinity : Number(to);
  if (bounds === null || from + to === "" || minimum > maximum)
    return "length must be written length:<min>-<max>, in characters; one of the two may be left out";
  return (completion) => {
    const characters = Array.from(completion).length;
    const label = characters < minimum ? "too short" : characters > maximum ? "too long" : "within";
    return {
      score: label === "within" ? 1 : 0,
      label,
      explanation: `The completion has ${characters} characters.`,
    };
  };
}

function makeRegexCheck(parameter: string): ReturnType<MakeCheck> {
  if (parameter === "") return "regex must be written regex:<expression>";
  let expression: RE2JS;
  try {
    // RE2 searches in linear time, whatever a client writes here.
    expression = RE2JS.compile(parameter);
  } catch (error) {
    return `the expression cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
  return (completion) => {
    const isFound = expression.matcher(completion).find();
    return {
      score: isFound ? 1 : 0,
      label: isFound ? "match" : "no match",
      explanation: isFound
        ? "The expression matches the completion."
        : "The expression does not match the completion.",
    };
  };
}

function makeContainsCheck(parameter: string): ReturnType<MakeCheck> {
  if (parameter === "") return "contains must be written contains:<text>";
  return (completion) => {
    const isThere = completion.includes(parameter);
    return {
      score: isThere ? 1 : 0,
      label: isThere ? "present" : "missing",
      explanation: isThere ? "The completion has the text." : "The completion does not have the text.",
    };
  };
}
