import { Buffer } from "node:buffer";

/** Events of traces in the order of their last changes, encoded once for all readers. */
export interface TraceEvents {
  /** The events of so many traces, the last: bytes that all readers share. */
  ofLast(count: number): Uint8Array;
}

/** @param texts - one of each trace; empty where a trace has no event. */
export function createTraceEvents(texts: readonly string[]): TraceEvents {
  const bytes = Buffer.from(texts.join(""), "utf8");
  const starts: number[] = [];
  let start = 0;
  for (const text of texts) {
    starts.push(start);
    start += Buffer.byteLength(text, "utf8");
  }
  return { ofLast: (count) => bytes.subarray(starts[texts.length - count] ?? bytes.length) };
}
