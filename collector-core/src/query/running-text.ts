import { Buffer } from "node:buffer";
import type { PartialCompletionEvent } from "../api-schema/live.js";
import type { PartialCompletion, TraceKey } from "../interfaces.js";

const NOTHING = new Uint8Array(0);

/** One text of a running span. */
export class RunningText implements TraceKey {
  readonly tenant: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Increases with every text of any span. */
  readonly version: number;
  /** False once the text was replaced or dropped. */
  isLatest = true;
  /** Memory that is charged for the text, or for its event. */
  bytes: number;
  /** Undefined after the text was encoded: the event replaces it in memory. */
  #read: (() => string) | undefined;
  #event: Uint8Array = NOTHING;

  /** @param span - its ids, which the text shares with the span. */
  constructor(span: TraceKey & { readonly spanId: string }, partial: PartialCompletion, version: number) {
    this.tenant = span.tenant;
    this.traceId = span.traceId;
    this.spanId = span.spanId;
    this.version = version;
    this.#read = partial.text;
    this.bytes = partial.bytes;
  }

  /** False until the first call of {@link encode}, which redacts the text. */
  get isEncoded(): boolean {
    return this.#read === undefined;
  }

  /** The event with the text, as bytes that all readers share; empty if nothing of the text can be shown. */
  encode(): Uint8Array {
    if (this.#read === undefined) return this.#event;
    const shown = this.#read();
    if (shown !== "") this.#event = this.#eventOf(shown);
    this.#read = undefined;
    return this.#event;
  }

  #eventOf(shown: string): Uint8Array {
    const data: PartialCompletionEvent = {
      tenant: this.tenant,
      trace_id: this.traceId,
      span_id: this.spanId,
      completion_partial: shown,
    };
    return Buffer.from(`event: partial\ndata: ${JSON.stringify(data)}\n\n`);
  }
}
