import { truncateCodePoints } from "../../span/kept-text.js";
import { isWellFormed } from "../../span/well-formed.js";

/** A trace that stands for the values of a bucket (spec 4.7): what links a histogram to something to look at. */
export interface Exemplar {
  readonly traceId: string;
  /** When the span came, in milliseconds since the Unix epoch. */
  readonly receivedAtMs: number;
}

/** What names and values of an exemplar's labels may have together, in characters (OpenMetrics 1.0). */
const MAX_LABEL_SET_LENGTH = 128;
const LABEL = "trace_id";

/** Prometheus takes a NUL in an exemplar for the end of the page, and then the whole target is down. */
const CONTROL_CHARACTER = /(?!\n)\p{Cc}/u;

/**
 * Undefined where the trace id is too long for one, has control characters, or is no text that UTF-8 can carry. A line
 * break, a quote and a backslash are escaped.
 */
export function exemplarOf(traceId: string, receivedAtMs: number): Exemplar | undefined {
  const isReadable = isWellFormed(traceId) && !CONTROL_CHARACTER.test(traceId);
  return isReadable && fits(traceId) ? { traceId, receivedAtMs } : undefined;
}

/** Characters are code points: an emoji is one. */
function fits(traceId: string): boolean {
  const max = MAX_LABEL_SET_LENGTH - LABEL.length;
  return traceId.length <= max || truncateCodePoints(traceId, max) === traceId;
}

/** As prom-client's serializer takes it. */
export interface ExemplarSample {
  readonly labelSet: Readonly<Record<string, string>>;
  readonly value: number;
  /** In seconds. */
  readonly timestamp: number;
}

/** An exemplar with the value that it stands for. */
export function exemplarSample({ traceId, receivedAtMs }: Exemplar, value: number): ExemplarSample {
  return { labelSet: { [LABEL]: traceId }, value, timestamp: receivedAtMs / 1000 };
}
