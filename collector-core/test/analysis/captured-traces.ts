import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import { normalizeSpan } from "../../src/span/normalize-span.js";
import { capturesIn, mapBody } from "../otlp/captures.js";

const CONTEXT = { tenant: "", service: "shop", env: "test", version: undefined, receivedAtMs: 0 };

/** A trace that a real library sent. */
export interface CapturedTrace {
  readonly name: string;
  readonly traceId: string;
  /** In order of start, as the collector answers them. */
  readonly spans: readonly NormalizedSpan[];
}

/** The traces of all captures. */
export function capturedTraces(): CapturedTrace[] {
  return capturesIn("application/x-protobuf").flatMap(({ capture, bodies }) => {
    const spans = bodies
      .flatMap((body) => mapBody(body, "application/x-protobuf"))
      .map((span) => normalizeSpan(span, CONTEXT))
      .toSorted((a, b) => Date.parse(a.start_time) - Date.parse(b.start_time));
    return [...new Set(spans.map((span) => span.trace_id))].map((traceId) => ({
      name: capture.name,
      traceId,
      spans: spans.filter((span) => span.trace_id === traceId),
    }));
  });
}
