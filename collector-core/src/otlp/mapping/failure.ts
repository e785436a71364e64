import type { AttributeSource, OtlpEvent } from "../received-spans.js";
import { asNumber, asText, onlyReason, type AttributeSet } from "./attribute-set.js";
import { keyGroup } from "./key-groups.js";

const HTTP_STATUS = keyGroup(["http.response.status_code", "http.status_code"]);
const ERROR_TYPE = keyGroup(["error.type"]);
const ERROR_MESSAGE = keyGroup(["langfuse.observation.status_message", "error.message", "exception.message"]);
const FINISH_REASONS = keyGroup(["gen_ai.response.finish_reasons", "ai.response.finishReason"]);
/** Attributes that may mark a span as failed although its status is unset. */
const SIGNS = keyGroup(["langfuse.observation.level", "error.type", ...FINISH_REASONS.keys]);

/** Status and error of a span. */
export interface Outcome {
  readonly status: "OK" | "ERROR";
  /** Error attributes of Obspan, if the span failed. */
  readonly error?: Readonly<Record<"error_type" | "error_message" | "error_stack", string | undefined>>;
}

const OUTCOME_OK: Outcome = { status: "OK" };

/**
 * Reads whether a span failed, and its error. An unset status is OK unless something else says otherwise (contract 6): an
 * `error.type`, which OpenTelemetry allows on failed operations only, an exception that left the span, Langfuse's level,
 * the AI SDK's finish reason.
 */
export function takeOutcome(span: AttributeSource, attributes: AttributeSet): Outcome {
  const exception = span.events.findLast(({ name }) => name === "exception");
  const isPlain = span.statusCode !== ERROR && exception === undefined && !attributes.mayHave(SIGNS);
  if (isPlain || !hasFailed(span, attributes, exception)) return OUTCOME_OK;
  const of = (key: string): string | undefined => asText(exception?.attributes.get(key));
  const status = attributes.peek(HTTP_STATUS, asNumber);
  const error = {
    error_type:
      attributes.take(ERROR_TYPE, asText) ??
      of("exception.type") ??
      (status !== undefined && status >= 400 ? String(status) : undefined),
    error_message:
      asText(span.statusMessage) ?? of("exception.message") ?? attributes.take(ERROR_MESSAGE, asText),
    error_stack: of("exception.stacktrace"),
  };
  return { status: "ERROR", error };
}

const OK = 1;
const ERROR = 2;

function hasFailed(
  span: AttributeSource,
  attributes: AttributeSet,
  exception: OtlpEvent | undefined,
): boolean {
  if (span.statusCode === ERROR) return true;
  if (attributes.text("langfuse.observation.level") === "ERROR") return true;
  if (span.statusCode === OK) return false;
  if (attributes.text("error.type") !== undefined) return true;
  const escaped = exception?.attributes.get("exception.escaped");
  if (escaped === true || escaped === "true" || escaped === "True") return true;
  return attributes.peek(FINISH_REASONS, onlyReason) === "error";
}
