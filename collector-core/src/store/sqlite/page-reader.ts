import type { HeldSpan, SpanPages, StoredTrace, TraceKey } from "../../interfaces.js";
import type { StoredSpan } from "../../span/stored-span.js";
import { Slots } from "./slots.js";
import type { ThreadClient } from "./thread-client.js";
import type { OpenedTrace, SpanOrder, SpanPage } from "./thread/storage-engine.js";

/** Default of `PageReaderOptions.maxReadings`. */
const MAX_READINGS = 512;

/** Accounts for memory that is read. */
export interface PagesInUse {
  take(bytes: number): void;
  release(bytes: number): void;
}

/** Options of {@link PageReader}. */
export interface PageReaderOptions {
  readonly client: ThreadClient;
  /** Charged with the pages that are being read. */
  readonly pagesInUse: PagesInUse;
  /** Traces that may be open for reading at a time. Default: 512. */
  readonly maxReadings?: number | undefined;
}

/** Reads traces and spans from the storage thread, page by page. */
export class PageReader {
  readonly #client: ThreadClient;
  readonly #pagesInUse: PagesInUse;
  readonly #slots: Slots;
  /** Closes a trace whose reader forgot to release it. */
  readonly #forgotten = new FinalizationRegistry<() => void>((close) => close());

  constructor({ client, pagesInUse, maxReadings = MAX_READINGS }: PageReaderOptions) {
    this.#client = client;
    this.#pagesInUse = pagesInUse;
    this.#slots = new Slots({ max: maxReadings, what: "traces" });
  }

  /** Opens a trace as it is now. */
  async open(key: TraceKey, signal: AbortSignal | undefined): Promise<StoredTrace | undefined> {
    const client = this.#client;
    const leave = await this.#slots.take(signal);
    try {
      const answer = client.ask("openTrace", [key], { signal });
      const { generation } = client;
      const opened = await answer;
      if (opened === undefined) {
        leave();
        return undefined;
      }
      return this.#stored(opened, { generation, leave, signal });
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** One span, whose memory is charged until `release`. */
  async span(key: TraceKey, spanId: string, signal: AbortSignal | undefined): Promise<HeldSpan | undefined> {
    const page = await this.#client.ask("getSpan", [key, spanId], { signal });
    const [span] = page === undefined ? [] : spansOf(page);
    return span && page && { ...span, release: this.#charge(page) };
  }

  #stored({ reading, summary, remains }: OpenedTrace, { generation, leave, signal }: Opened): StoredTrace {
    const client = this.#client;
    const state = { isReleased: false };
    const close = (): void => {
      leave();
      // A reading of an earlier thread ended with it.
      client.ask("closeTrace", [reading], { generation }).catch(() => undefined);
    };
    // The trace and its pages refer to the state, and `close` does not.
    this.#forgotten.register(state, close, state);
    const release = (): void => {
      if (state.isReleased) return;
      state.isReleased = true;
      this.#forgotten.unregister(state);
      close();
    };
    const pages = (order: SpanOrder): SpanPages => ({
      [Symbol.asyncIterator]: () => this.#pages(reading, order, { generation, signal }, state),
    });
    return { summary, spans: pages("start"), received: pages("arrival"), remains, release };
  }

  async *#pages(
    reading: number,
    order: SpanOrder,
    options: { readonly generation: number; readonly signal: AbortSignal | undefined },
    state: { readonly isReleased: boolean },
  ): AsyncGenerator<readonly StoredSpan[]> {
    for (let from: number | null = 0; from !== null;) {
      if (state.isReleased) throw new Error("The trace was released.");
      const page: SpanPage & { readonly next: number | null } = await this.#client.ask(
        "readPage",
        [reading, order, from],
        options,
      );
      const release = this.#charge(page);
      try {
        if (page.spans.length > 0) yield spansOf(page);
      } finally {
        release();
      }
      from = page.next;
    }
  }

  #charge({ bytes }: SpanPage): () => void {
    const { byteLength } = bytes;
    this.#pagesInUse.take(byteLength);
    let isCharged = true;
    return () => {
      if (!isCharged) return;
      isCharged = false;
      this.#pagesInUse.release(byteLength);
    };
  }
}

interface Opened {
  /** The thread that has the trace open. */
  readonly generation: number;
  /** Gives the slot back. */
  readonly leave: () => void;
  readonly signal: AbortSignal | undefined;
}

function spansOf({ bytes, spans, contexts }: SpanPage): StoredSpan[] {
  const memory = { bytes: Buffer.from(bytes) };
  return spans.map(({ start, end, context, isAbandoned, isWrapper, computedCostUsd }) => {
    const found = contexts[context];
    if (found === undefined) throw new RangeError(`A page has no context ${context}.`);
    return { slice: { memory, start, end }, context: found, isAbandoned, isWrapper, computedCostUsd };
  });
}
