import { LRUCache } from "lru-cache";
import type { Clock } from "../../runtime/clock.js";
import type { MaybePromise } from "../../runtime/maybe-promise.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { createConcurrencyLimit } from "../../runtime/concurrency-limit.js";
import { KEPT_COMPLETION_LENGTH, leftOutOfCompletion, type EvaluatedText } from "../evaluated-text.js";
import type { ComputedType, Verdict } from "../evaluation-type.js";
import { estimateClassWork } from "./estimate-class-work.js";
import { estimateProgramSize } from "./estimate-program-size.js";
import { compileSearch, type CompiledSearch } from "./linear-search.js";

/** Finds personal data in a text: what kinds, and how many of each. */
export type FindPersonalData = (text: string) => ReadonlyMap<string, number>;

/** The verdict on a completion, or in a sentence why there is none. */
type Check = (completion: string) => MaybePromise<Verdict | string>;
/** Makes the check of a type's parameter, or says in a sentence why it cannot be used. */
type MakeCheck = (parameter: string) => Check | string;

/** What {@link createTextChecks} needs. */
export interface TextChecksOptions {
  readonly findPersonalData: FindPersonalData;
  readonly clock: Pick<Clock, "monotonic">;
}

/** The types that need no judge. */
export type TextCheckName = "valid_json" | "pii_leak" | "length" | "regex" | "contains";

/** Makes checks of what types say. */
export interface TextChecks {
  /** The check of a type, or why there is none. An expression is first looked at when it is computed. */
  check(name: TextCheckName, parameter: string): ComputedType["compute"] | string;
  /** Why a type cannot be computed; undefined where it can. */
  problemOf(name: TextCheckName, parameter: string): Promise<string | undefined>;
}

/** Longest `regex:` and `contains:`. */
const MAX_PARAMETER_LENGTH = 1000;
/** Largest compiled expression: with the longest completion it is looked for in about a second, in slices. */
const MAX_INSTRUCTIONS = 1000;
/** What is estimated is more than what is compiled: `(?:a|b)` is three instructions and seven characters. */
const MAX_ESTIMATED_INSTRUCTIONS = 4 * MAX_INSTRUCTIONS;
/**
 * Compiled expressions that are remembered. The types that are asked for most are few; whoever makes up new ones has each
 * compiled. An instruction with a class of Unicode takes 6 kB.
 */
const MAX_KNOWN_INSTRUCTIONS = 4000;
/** Work on character classes: some 20 ms, in one turn. */
const MAX_CLASS_WORK = 400_000;
/** Expressions that cannot be used and are remembered, each with the reason. */
const MAX_KNOWN_PROBLEMS = 200;

/**
 * Makes the types that need no judge (contract 8), from the name and what follows its colon. Senders of spans choose
 * them, with the text to check: one is at work at a time, in slices between which the event loop has its turn.
 */
export function createTextChecks({ findPersonalData, clock }: TextChecksOptions): TextChecks {
  const inTurn = createConcurrencyLimit(1);
  const timeSlice = new TimeSlice(clock);
  const compiled = new LRUCache<string, CompiledSearch>({
    maxSize: MAX_KNOWN_INSTRUCTIONS,
    sizeCalculation: ({ size }) => size,
  });
  const problems = new LRUCache<string, string>({ max: MAX_KNOWN_PROBLEMS });
  const makers: Readonly<Record<TextCheckName, MakeCheck>> = {
    valid_json: () => validJson,
    pii_leak: () => (completion) => personalDataVerdict(findPersonalData(completion)),
    length: makeLengthCheck,
    regex: makeRegexCheck,
    contains: makeContainsCheck,
  };

  function inSlices<Result>(work: () => MaybePromise<Result>): Promise<Result> {
    return inTurn(async () => {
      if (timeSlice.isOver()) await timeSlice.next();
      return await work();
    });
  }

  function makeRegexCheck(parameter: string): Check | string {
    if (parameter === "") return "regex must be written regex:<expression>";
    return async (completion) => {
      const expression = compile(parameter);
      if (typeof expression === "string") return expression;
      const search = expression.search(completion);
      for (;;) {
        const { done, value: isFound } = search.next();
        if (done === true) return regexVerdict(isFound);
        if (timeSlice.isOver()) await timeSlice.next();
      }
    };
  }

  /** The expression, or why it cannot be used. */
  function compile(parameter: string): CompiledSearch | string {
    const known = compiled.get(parameter);
    if (known !== undefined) return known;
    if (estimateProgramSize(parameter) > MAX_ESTIMATED_INSTRUCTIONS) return TOO_LARGE;
    if (estimateClassWork(parameter) > MAX_CLASS_WORK) return TOO_MANY_CLASSES;
    const problem = problems.get(parameter);
    if (problem !== undefined) return problem;
    const expression = tryToCompile(parameter);
    if (typeof expression === "string") problems.set(parameter, expression);
    else compiled.set(parameter, expression);
    return expression;
  }

  function make(name: TextCheckName, parameter: string): Check | string {
    return parameter.length > MAX_PARAMETER_LENGTH ? TOO_LONG : makers[name](parameter);
  }

  return {
    check(name, parameter) {
      const check = make(name, parameter);
      if (typeof check === "string") return check;
      return ({ completion = "" }: EvaluatedText) => inSlices(() => checkWhatIsKept(name, completion, check));
    },
    async problemOf(name, parameter) {
      const check = make(name, parameter);
      if (typeof check === "string") return check;
      if (name !== "regex") return undefined;
      const expression = await inSlices(() => compile(parameter));
      return typeof expression === "string" ? expression : undefined;
    },
  };
}

function tryToCompile(parameter: string): CompiledSearch | string {
  try {
    const expression = compileSearch(parameter);
    return expression.size > MAX_INSTRUCTIONS ? TOO_LARGE : expression;
  } catch (error) {
    return `the expression cannot be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** What was not found in a completion that is not kept whole may stand in the rest of it. */
async function checkWhatIsKept(
  name: TextCheckName,
  completion: string,
  check: Check,
): Promise<Verdict | string> {
  const leftOut = leftOutOfCompletion(completion);
  const isKnown = leftOut === 0 || name === "length";
  if (!isKnown && name === "valid_json") return cannotBeTold(leftOut);
  const verdict = await check(completion);
  return isKnown || typeof verdict === "string" || verdict.score === 1 ? verdict : cannotBeTold(leftOut);
}

function cannotBeTold(leftOut: number): string {
  return `it cannot be told: the completion is so long that ${leftOut} characters in its middle are not looked at`;
}

const TOO_LONG = `what follows the colon is longer than ${MAX_PARAMETER_LENGTH} characters`;
const TOO_LARGE =
  `the expression cannot be used: compiled it would have more than ${MAX_INSTRUCTIONS} instructions; ` +
  "repetitions such as {1000} count as often as they repeat";
const TOO_MANY_CLASSES =
  "the expression cannot be used: its character classes have too many characters together; " +
  "classes of Unicode such as \\pL count much, and so do long ranges such as [a-\u9fa5] under (?i)";

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

function makeLengthCheck(parameter: string): Check | string {
  const bounds = /^(\d{0,9})-(\d{0,9})$/.exec(parameter);
  const [, from = "", to = ""] = bounds ?? [];
  const minimum = Number(from);
  const maximum = to === "" ? Infinity : Number(to);
  if (bounds === null || from + to === "" || minimum > maximum)
    return "length must be written length:<min>-<max>, in characters; one of the two may be left out";
  return (completion) => {
    const leftOut = leftOutOfCompletion(completion);
    const characters = leftOut === 0 ? Array.from(completion).length : leftOut + KEPT_COMPLETION_LENGTH;
    const label = characters < minimum ? "too short" : characters > maximum ? "too long" : "within";
    return {
      score: label === "within" ? 1 : 0,
      label,
      explanation: `The completion has ${characters} characters.`,
    };
  };
}

function regexVerdict(isFound: boolean): Verdict {
  return {
    score: isFound ? 1 : 0,
    label: isFound ? "match" : "no match",
    explanation: isFound
      ? "The expression matches the completion."
      : "The expression does not match the completion.",
  };
}

function makeContainsCheck(parameter: string): Check | string {
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
