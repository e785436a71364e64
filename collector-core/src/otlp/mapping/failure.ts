import type { OtlpEvent, OtlpSpan } from "../received-spans.js";
import { asNumber, asText, type AttributeSet } from "./attribute-set.js";

/** How a span ended. */
export interface Outcome {
  readonly status: "OK" | "ERROR";
  readonly error_type?: string | undefined;
  readonly error_message?: string | undefined;
  readonly error_stack?: string | undefined;
}

/**
 * Whether a span failed, and of what. An unset status is OK unless something else says otherwise (contract 6): an
 * `error.type`, which OpenTelemetry allows on failed operations only, an exception that left the span, Langfuse's level,
 * the AI SDK's finish reason.
 */
export function takeOutcome(span: OtlpSpan, attributes: AttributeSet): Outcome {
  const exception = span.events.findLast(({ name }) => name === "exception");
  if (!hasFailed(span, attributes, exception)) return { status: "OK" };
  const of = (key: string): string | undefined => asText(exception?.attributes.get(key));
  const status = attributes.peek(["http.response.status_code", "http.status_code"], asNumber);
  return {
    status: "ERROR",
    error_type:
      attributes.take(["error.type"], asText) ??
      of("exception.type") ??
      (status !== undefined && status >= 400 ? String(status) : undefined),
    error_message:
      asText(span.statusMessage) ??
      of("exception.message") ??
      attributes.take(["langfuse.observation.status_message", "error.message", "exception.message"], asText),
    error_stack: of("exception.stacktrace"),
  };
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
  const reasons = attributes.get("gen_ai.response.finish_reasons");
  return (
    attributes.text("ai.response.finishReason") === "error" ||
    reasons === "error" ||
    (Array.isArray(reasons) && reasons.length > 0 && reasons.every((reason) => reason === "error"))
  );
}
