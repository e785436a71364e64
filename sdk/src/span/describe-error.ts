import { causesOf } from "./error-causes.js";
import { stringifyValue } from "./json-value.js";

/** What a span records of an error. */
export interface ErrorDescription {
  /** The class; with the error code or HTTP status if the class alone is not specific: `TypeError ECONNREFUSED`. */
  readonly type: string;
  readonly message?: string | undefined;
  readonly stack?: string | undefined;
}

/** Class names that tell the kind of the failure; a code would add nothing. */
const SPECIFIC_CLASS =
  /time.?out|rate.?limit|throttl|quota|auth|permission|forbidden|not.?found|request|invalid|overload|unavail|server|connection|abort/i;

/** Describes any thrown value. Never throws. */
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
  const code = SPECIFIC_CLASS.test(className) ? undefined : codeOf(error);
  return {
    type: code === undefined ? className : `${className} ${code}`,
    message: textOf(message),
    stack: typeof stack === "string" ? stack : undefined,
  };
}

/** The error's `name`, or the name of its class if `name` is not specific. */
function classOf(error: object): string {
  const { name } = error as { name?: unknown };
  const className = (error.constructor as { name?: unknown } | undefined)?.name;
  if (typeof name === "string" && name !== "" && name !== "Error") return name;
  return typeof className === "string" && className !== "" ? className : "Error";
}

/** The first code or HTTP status in the chain of causes: `fetch` hides ECONNREFUSED behind a TypeError. */
function codeOf(error: object): string | undefined {
  for (const cause of causesOf(error)) {
    const { code, status, statusCode } = cause as { code?: unknown; status?: unknown; statusCode?: unknown };
    if (typeof code === "string" && code !== "") return code.slice(0, 100);
    for (const number of [status, statusCode, code]) if (Number.isInteger(number)) return String(number);
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : stringifyValue(value);
}
