import type { BatchContext, SpanFacts } from "../span/span-facts.js";

/** What an entry costs beside the characters of its key, by measurement. */
const ENTRY_BYTES = 500;
/** The key and the values, two bytes a character where they are not Latin. */
const BYTES_PER_CHARACTER = 4;

/** What a span can be filtered by, and its application: few combinations for many spans. */
export interface SpanLabels extends Pick<BatchContext, "service" | "env" | "version"> {
  readonly model: string;
  readonly agent: string;
  readonly spanType: string;
  readonly status: string;
  readonly errorCategory: string;
}

interface Entry {
  readonly key: string;
  readonly labels: SpanLabels;
  references: number;
}

/**
 * Keeps each combination of labels once, as long as a row refers to it: what it holds is bounded by the rows.
 */
export class SpanLabelTable {
  readonly #ids = new Map<string, number>();
  readonly #entries: (Entry | undefined)[] = [];
  readonly #freeIds: number[] = [];
  #bytes = 0;
  #lastContext: BatchContext | undefined;
  #lastContextKey = "";

  /** An estimate of the heap it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The id of a span's labels, with one reference more. */
  acquire(context: BatchContext, facts: SpanFacts): number {
    const { model, agent, spanType, status, errorCategory } = facts;
    // With the lengths first, no two combinations of texts make the same key.
    const lengths = `${model.length},${agent.length},${spanType.length},${status.length}`;
    const key = `${this.#contextKey(context)}${lengths}:${model}${agent}${spanType}${status}${errorCategory}`;
    const known = this.#ids.get(key);
    if (known !== undefined) {
      this.#entry(known).references++;
      return known;
    }
    const { service, env, version } = context;
    const labels = { service, env, version, model, agent, spanType, status, errorCategory };
    const id = this.#freeIds.pop() ?? this.#entries.length;
    this.#entries[id] = { key, labels, references: 1 };
    this.#ids.set(key, id);
    this.#bytes += bytesOf(key);
    return id;
  }

  /** Gives a reference back. */
  release(id: number): void {
    const entry = this.#entry(id);
    entry.references--;
    if (entry.references > 0) return;
    this.#entries[id] = undefined;
    this.#ids.delete(entry.key);
    this.#freeIds.push(id);
    this.#bytes -= bytesOf(entry.key);
  }

  /** The labels of that id: the same object for as long as a row refers to it. */
  get(id: number): SpanLabels {
    return this.#entry(id).labels;
  }

  clear(): void {
    this.#ids.clear();
    this.#entries.length = 0;
    this.#freeIds.length = 0;
    this.#bytes = 0;
  }

  #entry(id: number): Entry {
    const entry = this.#entries[id];
    if (entry === undefined) throw new Error(`No labels ${id}.`);
    return entry;
  }

  /** All spans of a batch share one context, so its part of the key is made once. */
  #contextKey(context: BatchContext): string {
    if (context !== this.#lastContext) {
      this.#lastContext = context;
      this.#lastContextKey = JSON.stringify([context.service, context.env, context.version]);
    }
    return this.#lastContextKey;
  }
}

function bytesOf(key: string): number {
  return key.length * BYTES_PER_CHARACTER + ENTRY_BYTES;
}
