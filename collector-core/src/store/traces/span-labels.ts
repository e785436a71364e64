import { copyText } from "../../span/kept-text.js";
import type { BatchContext, SpanFacts } from "../../span/span-facts.js";

/** Measured size of an entry without the characters of its key. */
const ENTRY_BYTES = 500;
/** The key and the values, at two bytes a character beyond Latin-1. */
const BYTES_PER_CHARACTER = 4;

/** Entries compared before the table is searched: a service uses few combinations at a time. */
const RECENT_ENTRIES = 8;

/** The values by which spans are filtered, with their application: few combinations for many spans. */
export interface SpanLabels extends Pick<BatchContext, "service" | "env" | "version"> {
  /** Unique, also among removed labels. */
  readonly serial: number;
  readonly model: string;
  readonly agent: string;
  readonly spanType: string;
  readonly status: string;
  readonly errorCategory: string;
  readonly evaluationType: string;
}

interface Entry {
  readonly id: number;
  readonly key: string;
  readonly labels: SpanLabels;
  references: number;
}

/** Interns combinations of labels with reference counts: the rows bound its size. */
export class SpanLabelTable {
  readonly #ids = new Map<string, number>();
  readonly #entries: (Entry | undefined)[] = [];
  readonly #freeIds: number[] = [];
  /** A ring of the entries found last. */
  readonly #recent: (Entry | undefined)[] = new Array<Entry | undefined>(RECENT_ENTRIES).fill(undefined);
  #nextRecent = 0;
  #bytes = 0;
  #nextSerial = 0;
  #lastContext: BatchContext | undefined;
  #lastContextKey = "";

  /** Estimated heap size. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The id of a span's labels; adds a reference. */
  acquire(context: BatchContext, facts: SpanFacts): number {
    const entry = this.#findRecent(context, facts) ?? this.#find(context, facts);
    entry.references++;
    return entry.id;
  }

  #findRecent(context: BatchContext, facts: SpanFacts): Entry | undefined {
    for (const entry of this.#recent) {
      if (entry !== undefined && isSame(entry.labels, context, facts)) return entry;
    }
    return undefined;
  }

  #find(context: BatchContext, facts: SpanFacts): Entry {
    const { model, agent, spanType, status, evaluationType, errorCategory } = facts;
    // The lengths make the key unique for each combination of texts.
    const lengths = `${model.length},${agent.length},${spanType.length},${status.length},${evaluationType.length}`;
    const texts = `${model}${agent}${spanType}${status}${evaluationType}${errorCategory}`;
    const key = `${this.#contextKey(context)}${lengths}:${texts}`;
    const known = this.#ids.get(key);
    const entry = known === undefined ? this.#add(key, context, facts) : this.#entry(known);
    this.#recent[this.#nextRecent] = entry;
    this.#nextRecent = (this.#nextRecent + 1) % RECENT_ENTRIES;
    return entry;
  }

  #add(key: string, context: BatchContext, facts: SpanFacts): Entry {
    const { model, agent, spanType, status, evaluationType, errorCategory } = facts;
    const { service, env, version } = context;
    // Copies: a text may be a slice of the request, and an entry outlives the request.
    const labels = {
      serial: this.#nextSerial++,
      service: copyText(service),
      env: copyText(env),
      version: version === undefined ? undefined : copyText(version),
      model: copyText(model),
      agent: copyText(agent),
      spanType: copyText(spanType),
      status: copyText(status),
      evaluationType: copyText(evaluationType),
      errorCategory,
    };
    const id = this.#freeIds.pop() ?? this.#entries.length;
    const entry = { id, key, labels, references: 0 };
    this.#entries[id] = entry;
    this.#ids.set(key, id);
    this.#bytes += bytesOf(key);
    return entry;
  }

  /** Releases a reference. */
  release(id: number): void {
    const entry = this.#entry(id);
    entry.references--;
    if (entry.references > 0) return;
    this.#entries[id] = undefined;
    const recent = this.#recent.indexOf(entry);
    if (recent >= 0) this.#recent[recent] = undefined;
    this.#ids.delete(entry.key);
    this.#freeIds.push(id);
    this.#bytes -= bytesOf(entry.key);
  }

  /** The labels with that id: the same object while a row refers to it. */
  get(id: number): SpanLabels {
    return this.#entry(id).labels;
  }

  clear(): void {
    this.#ids.clear();
    this.#entries.length = 0;
    this.#freeIds.length = 0;
    this.#recent.fill(undefined);
    this.#bytes = 0;
  }

  #entry(id: number): Entry {
    const entry = this.#entries[id];
    if (entry === undefined) throw new Error(`No labels ${id}.`);
    return entry;
  }

  /** The part of the key for a context, cached: all spans of a batch share one. */
  #contextKey(context: BatchContext): string {
    if (context !== this.#lastContext) {
      this.#lastContext = context;
      this.#lastContextKey = JSON.stringify([context.service, context.env, context.version]);
    }
    return this.#lastContextKey;
  }
}

/** Compares first what differs most often. */
function isSame(labels: SpanLabels, context: BatchContext, facts: SpanFacts): boolean {
  return (
    labels.model === facts.model &&
    labels.spanType === facts.spanType &&
    labels.status === facts.status &&
    labels.agent === facts.agent &&
    labels.errorCategory === facts.errorCategory &&
    labels.evaluationType === facts.evaluationType &&
    labels.service === context.service &&
    labels.env === context.env &&
    labels.version === context.version
  );
}

function bytesOf(key: string): number {
  return key.length * BYTES_PER_CHARACTER + ENTRY_BYTES;
}
