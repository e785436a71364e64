import type { OtlpEvent, OtlpSpan } from "../received-spans.js";
import { asNumber, asText, onlyReason, type AttributeSet } from "./attribute-set.js";
import { keyGroup } from "./key-groups.js";

const HTTP_STATUS = keyGroup(["http.response.status_code", "http.status_code"]);
const ERROR_TYPE = keyGroup(["error.type"]);
const ERROR_MESSAGE = keyGroup(["langfuse.observation.status_message", "error.message", "exception.message"]);
const FINISH_REASONS = keyGroup(["gen_ai.response.finish_reasons", "ai.response.finishReason"]);
/** What may say that a span failed whose status does not. */
const SIGNS = keyGroup(["langfuse.observation.level", "error.type", ...FINISH_REASONS.keys]);

/** How a span ended. */
export interface Outcome {
  readonly status: "OK" | "ERROR";
  /** By the names of ours, where it failed. */
  readonly error?: Readonly<Record<"error_type" | "error_message" | "error_stack", string | undefined>>;
}

const WENT_WELL: Outcome = { status: "OK" };

/**
 * Whether a span failed, and of what. An unset status is OK unless something else says otherwise (contract 6): an
 * `error.type`, which OpenTelemetry allows on failed operations only, an exception that left the span, Langfuse's level,
 * the AI SDK's finish reason.
 */
export function takeOutcome(span: OtlpSpan, attributes: AttributeSet): Outcome {
  const exception = span.events.findLast(({ name }) => name === "exception");
  const isPlain = span.statusCode !== ERROR && exception === undefined && !attributes.mayHave(SIGNS);
  if (isPlain || !hasFailed(span, attributes, exception)) return WENT_WELL;
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

function hasFailed(span: OtlpSpan, attributes: AttributeSet, exception: OtlpEvent | undefined): boolean {
  if (span.statusCode === ERROR) return true;
  if (attributes.text("langfuse.observation.level") === "ERROR") return true;
  if (span.statusCode === OK) return false;
  if (attributes.text("error.type") !== undefined) return true;
  const escaped = exception?.attributes.get("exception.escaped");
  if (escaped === true || escaped === "true" || escaped === "True") return true;
  return attributes.peek(FINISH_REASONS, onlyReason) === "error";
}
