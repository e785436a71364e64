import { truncateCodePoints } from "../../span/kept-text.js";
import { isWellFormed } from "../../span/well-formed.js";

/** An example trace of a histogram bucket (spec 4.7). */
export interface Exemplar {
  readonly traceId: string;
  /** Time of receipt, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
}

/** Maximum total length of an exemplar's label names and values, in characters (OpenMetrics 1.0). */
const MAX_LABEL_SET_LENGTH = 128;
const LABEL = "trace_id";

/** Prometheus reads a NUL in an exemplar as the end of the page and marks the whole target as down. */
const CONTROL_CHARACTER = /(?!\n)\p{Cc}/u;

/**
 * Returns undefined when the trace id is too long, contains control characters, or cannot be encoded as UTF-8. The
 * serializer escapes line breaks, quotes and backslashes.
 */
export function exemplarOf(traceId: string, receivedAtMs: number): Exemplar | undefined {
  const isReadable = isWellFormed(traceId) && !CONTROL_CHARACTER.test(traceId);
  return isReadable && fits(traceId) ? { traceId, receivedAtMs } : undefined;
}

/** The limit is in code points. */
function fits(traceId: string): boolean {
  const max = MAX_LABEL_SET_LENGTH - LABEL.length;
  return traceId.length <= max || truncateCodePoints(traceId, max) === traceId;
}

/** An exemplar in the shape of prom-client's serializer. */
export interface ExemplarSample {
  readonly labelSet: Readonly<Record<string, string>>;
  readonly value: number;
  /** In seconds. */
  readonly timestamp: number;
}

/** Combines an exemplar with its value. */
export function exemplarSample({ traceId, receivedAtMs }: Exemplar, value: number): ExemplarSample {
  return { labelSet: { [LABEL]: traceId }, value, timestamp: receivedAtMs / 1000 };
}
