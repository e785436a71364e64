import { LRUCache } from "lru-cache";
import type { Clock } from "../../runtime/clock.js";
import { errorMessage } from "../../runtime/describe-error.js";
import type { MaybePromise } from "../../runtime/maybe-promise.js";
import { runInSlices } from "../../runtime/steps.js";
import { TimeSlice } from "../../runtime/time-slice.js";
import { createConcurrencyLimit } from "../../runtime/concurrency-limit.js";
import { MAX_COMPLETION_LENGTH, omittedFromCompletion, type EvaluatedText } from "../evaluated-text.js";
import type { ComputedType, Verdict } from "../evaluation-type.js";
import { estimateClassWork } from "./estimate-class-work.js";
import { estimateProgramSize } from "./estimate-program-size.js";
import { compileSearch, type CompiledSearch } from "./linear-search.js";

/** Counts the personal data in a text by kind. */
export type FindPersonalData = (text: string) => ReadonlyMap<string, number>;

/** Returns the verdict on a completion, or the reason why there is none. */
type Check = (completion: string) => MaybePromise<Verdict | string>;
/** Creates the check for a parameter, or returns the reason why the parameter is invalid. */
type CreateCheck = (parameter: string) => Check | string;

/** Options of {@link createTextChecks}. */
export interface TextChecksOptions {
  readonly findPersonalData: FindPersonalData;
  readonly clock: Pick<Clock, "monotonic">;
}

/** The types without a judge. */
export type TextCheckName = "valid_json" | "pii_leak" | "length" | "regex" | "contains";

/** Checks of a completion that need no judge. */
export interface TextChecks {
  /** Returns the check of a type, or the reason why there is none. Validates an expression only when the check runs. */
  check(name: TextCheckName, parameter: string): ComputedType["compute"] | string;
  /** Returns the reason why a type is invalid; undefined for a valid type. */
  problemOf(name: TextCheckName, parameter: string): Promise<string | undefined>;
}

/** Maximum length of the parameter of `regex:` and `contains:`. */
const MAX_PARAMETER_LENGTH = 1000;
/** Maximum compiled size. A search of the longest completion then takes about a second, in time slices. */
const MAX_INSTRUCTIONS = 1000;
/** The estimate exceeds the compiled size: `(?:a|b)` is three instructions, and seven characters. */
const MAX_ESTIMATED_INSTRUCTIONS = 4 * MAX_INSTRUCTIONS;
/** Size of the cache of compiled expressions, in instructions. An instruction with a Unicode class takes 6 kB. */
const MAX_CACHED_INSTRUCTIONS = 4000;
/** Maximum work on character classes: about 20 ms without a yield. */
const MAX_CLASS_WORK = 400_000;
/** Size of the cache of invalid expressions. */
const MAX_CACHED_PROBLEMS = 200;

/**
 * Creates the checks of the types without a judge (contract 8). Senders choose the types and the text. Therefore one
 * check runs at a time, in time slices.
 */
export function createTextChecks({ findPersonalData, clock }: TextChecksOptions): TextChecks {
  const limited = createConcurrencyLimit(1);
  const timeSlice = new TimeSlice(clock);
  const compiled = new LRUCache<string, CompiledSearch>({
    maxSize: MAX_CACHED_INSTRUCTIONS,
    sizeCalculation: ({ size }) => size,
  });
  const problems = new LRUCache<string, string>({ max: MAX_CACHED_PROBLEMS });
  const factories: Readonly<Record<TextCheckName, CreateCheck>> = {
    valid_json: () => validJson,
    pii_leak: () => (completion) => personalDataVerdict(findPersonalData(completion)),
    length: createLengthCheck,
    regex: createRegexCheck,
    contains: createContainsCheck,
  };

  function runLimited<Result>(work: () => MaybePromise<Result>): Promise<Result> {
    return limited(async () => {
      if (timeSlice.isOver()) await timeSlice.next();
      return await work();
    });
  }

  function createRegexCheck(parameter: string): Check | string {
    if (parameter === "") return "regex must be written regex:<expression>";
    return async (completion) => {
      const expression = compile(parameter);
      if (typeof expression === "string") return expression;
      return regexVerdict(await runInSlices(expression.search(completion), timeSlice));
    };
  }

  /** Returns the compiled expression, or the reason why it is invalid. */
  function compile(parameter: string): CompiledSearch | string {
    const cached = compiled.get(parameter);
    if (cached !== undefined) return cached;
    if (estimateProgramSize(parameter) > MAX_ESTIMATED_INSTRUCTIONS) return TOO_LARGE;
    if (estimateClassWork(parameter) > MAX_CLASS_WORK) return TOO_MANY_CLASSES;
    const problem = problems.get(parameter);
    if (problem !== undefined) return problem;
    const expression = tryToCompile(parameter);
    if (typeof expression === "string") problems.set(parameter, expression);
    else compiled.set(parameter, expression);
    return expression;
  }

  function createCheck(name: TextCheckName, parameter: string): Check | string {
    return parameter.length > MAX_PARAMETER_LENGTH ? TOO_LONG : factories[name](parameter);
  }

  return {
    check(name, parameter) {
      const check = createCheck(name, parameter);
      if (typeof check === "string") return check;
      return ({ completion = "" }: EvaluatedText) =>
        runLimited(() => checkPossiblyTruncated(name, completion, check));
    },
    async problemOf(name, parameter) {
      const check = createCheck(name, parameter);
      if (typeof check === "string") return check;
      if (name !== "regex") return undefined;
      const expression = await runLimited(() => compile(parameter));
      return typeof expression === "string" ? expression : undefined;
    },
  };
}

function tryToCompile(parameter: string): CompiledSearch | string {
  try {
    const expression = compileSearch(parameter);
    return expression.size > MAX_INSTRUCTIONS ? TOO_LARGE : expression;
  } catch (error) {
    return `the expression is not valid RE2 syntax: ${errorMessage(error)}`;
  }
}

/** Runs a check. Returns no verdict when the omitted part of a truncated completion could change it. */
async function checkPossiblyTruncated(
  name: TextCheckName,
  completion: string,
  check: Check,
): Promise<Verdict | string> {
  const omitted = omittedFromCompletion(completion);
  const isConclusive = omitted === 0 || name === "length";
  if (!isConclusive && name === "valid_json") return inconclusive(omitted);
  const verdict = await check(completion);
  return isConclusive || typeof verdict === "string" || verdict.score === 1 ? verdict : inconclusive(omitted);
}

function inconclusive(omitted: number): string {
  return `the check is inconclusive: the completion is too long, and ${omitted} characters in its middle were omitted`;
}

const TOO_LONG = `the text after the colon is longer than ${MAX_PARAMETER_LENGTH} characters`;
const TOO_LARGE =
  `the expression compiles to more than ${MAX_INSTRUCTIONS} instructions; use smaller repetitions: ` +
  "{1000} multiplies the size of its element";
const TOO_MANY_CLASSES =
  "the character classes of the expression contain too many characters; " +
  "use fewer Unicode classes such as \\pL and fewer long ranges such as [a-\u9fa5] under (?i)";

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
        ? "The completion is in a code fence, which is not JSON."
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

function createLengthCheck(parameter: string): Check | string {
  const bounds = /^(\d{0,9})-(\d{0,9})$/.exec(parameter);
  const [, from = "", to = ""] = bounds ?? [];
  const minimum = Number(from);
  const maximum = to === "" ? Infinity : Number(to);
  if (bounds === null || from + to === "" || minimum > maximum)
    return "length must be written length:<min>-<max>, in characters; <min> or <max> can be omitted";
  return (completion) => {
    const omitted = omittedFromCompletion(completion);
    const characters = omitted === 0 ? Array.from(completion).length : omitted + MAX_COMPLETION_LENGTH;
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

function createContainsCheck(parameter: string): Check | string {
  if (parameter === "") return "contains must be written contains:<text>";
  return (completion) => {
    const isPresent = completion.includes(parameter);
    return {
      score: isPresent ? 1 : 0,
      label: isPresent ? "present" : "missing",
      explanation: isPresent
        ? "The completion contains the text."
        : "The completion does not contain the text.",
    };
  };
}
