import { Buffer } from "node:buffer";

/** Events of traces in order of their last change, encoded once for all readers. */
export interface TraceEvents {
  /** The events of the last `count` traces, as bytes that readers share; undefined if they exceed the limit of an update. */
  ofLast(count: number): Uint8Array | undefined;
}

/** @param texts - of the last traces, one per trace; empty if the trace has no event. Earlier traces exceed the limit. */
export function createTraceEvents(texts: readonly string[]): TraceEvents {
  const bytes = Buffer.from(texts.join(""), "utf8");
  const starts: number[] = [];
  let start = 0;
  for (const text of texts) {
    starts.push(start);
    start += Buffer.byteLength(text, "utf8");
  }
  return {
    ofLast: (count) =>
      count > texts.length ? undefined : bytes.subarray(starts[texts.length - count] ?? bytes.length),
  };
}
