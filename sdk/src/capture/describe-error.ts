import { stringifyValue } from "./json-value.js";

/** What a span says of an error. */
export interface ErrorDescription {
  /** The class, with the code or the HTTP status where the class alone says little: `TypeError ECONNREFUSED`. */
  readonly type: string;
  readonly message?: string | undefined;
  readonly stack?: string | undefined;
}

/** How far causes are followed. */
const MAX_CAUSES = 16;

/** Classes whose name says what kind of failure it was; a code would add nothing. */
const TELLING =
  /time.?out|rate.?limit|throttl|quota|auth|permission|forbidden|not.?found|request|invalid|overload|unavail|server|connection|abort/i;

/** Describes whatever was thrown. Never throws. */
export function describeError(error: unknown): ErrorDescription {
  try {
    return describe(error);
  } catch {
    return { type: "unreadable error" };
  }
}

function describe(error: unknown): ErrorDescription {
  if (typeof error !== "object" || error === null)
    return { type: error === null ? "null" : typeof error, message: textOf(error) };
  const className = classOf(error);
  const { message, stack } = error as { message?: unknown; stack?: unknown };
  const code = TELLING.test(className) ? undefined : codeOf(error);
  return {
    type: code === undefined ? className : `${className} ${code}`,
    message: textOf(message),
    stack: typeof stack === "string" ? stack : undefined,
  };
}

/** The name that the error gives itself, unless its class says more. */
function classOf(error: object): string {
  const { name } = error as { name?: unknown };
  const className = (error.constructor as { name?: unknown } | undefined)?.name;
  if (typeof name === "string" && name !== "" && name !== "Error") return name;
  return typeof className === "string" && className !== "" ? className : "Error";
}

/** The first code or HTTP status along the causes: fetch, for one, hides ECONNREFUSED behind a TypeError. */
function codeOf(error: object): string | undefined {
  for (const cause of causesOf(error)) {
    const { code, status, statusCode } = cause as { code?: unknown; status?: unknown; statusCode?: unknown };
    if (typeof code === "string" && code !== "") return code.slice(0, 100);
    for (const number of [status, statusCode, code]) if (Number.isInteger(number)) return String(number);
  }
  return undefined;
}

/** An error and the errors that caused it, the outermost first. Never throws. */
export function causesOf(error: unknown): object[] {
  const chain: object[] = [];
  const left = [error];
  try {
    for (const next of left) {
      if (typeof next !== "object" || next === null || chain.includes(next)) continue;
      if (chain.push(next) === MAX_CAUSES) break;
      left.push((next as { cause?: unknown }).cause);
      // What Promise.any() rejects with: each of its promises has failed.
      if (next instanceof AggregateError) for (const each of next.errors as unknown[]) left.push(each);
    }
  } catch {
    // What could be read is what there is.
  }
  return chain;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : stringifyValue(value);
}
