import type { CarriedValue } from "./any-value.js";

/** Fields of every OTLP span. */
export interface SpanHead {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array | undefined;
  readonly name: string;
  /** `SpanKind`. */
  readonly kind: number;
  readonly startUnixNano: bigint;
  readonly endUnixNano: bigint;
}

/**
 * Writes an OTLP span part by part, in the order of the fields. Intermediate messages would take ten times as long and
 * several times the memory.
 */
export interface SpanWriter {
  begin(head: SpanHead): void;
  /** Adds an attribute to the open event, or to the span. */
  attribute(key: string, value: CarriedValue): void;
  beginEvent(name: string, timeUnixNano: bigint): void;
  endEvent(): void;
  /** @param code - `StatusCode`. */
  end(code: number, message: string): void;
}
