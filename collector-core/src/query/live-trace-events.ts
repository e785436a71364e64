import { Buffer } from "node:buffer";

/** Events of traces in order of their last change, encoded once for all readers. */
export interface TraceEvents {
  /** The events of the last `count` traces, as bytes that readers share. */
  ofLast(count: number): Uint8Array;
}

/** @param texts - one per trace; empty if the trace has no event. */
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
