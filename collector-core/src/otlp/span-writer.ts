import type { CarriedValue } from "./any-value.js";

/** What every span has in OTLP. */
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
 * Takes a span of OTLP part by part, and writes each at once: messages in between would cost ten times as much, and
 * several times the memory. The order is that of the fields.
 */
export interface SpanWriter {
  begin(head: SpanHead): void;
  /** Of the event under way, else of the span. */
  attribute(key: string, value: CarriedValue): void;
  beginEvent(name: string, timeUnixNano: bigint): void;
  endEvent(): void;
  /** @param code - `StatusCode`. */
  end(code: number, message: string): void;
}
