import { copyText } from "../../span/kept-text.js";
import type { BatchContext, SpanFacts } from "../../span/span-facts.js";

/** Measured size of an entry without the characters of its key. */
const ENTRY_BYTES = 500;
/** The key and the values, at two bytes a character beyond Latin-1. */
const BYTES_PER_CHARACTER = 4;

/** Slots of the cache in front of the table, a power of two. A service uses some dozens of combinations at a time. */
const RECENT_ENTRIES = 256;

/** The serial of labels that are not interned: those of a dropped root, which are only shown. */
export const NO_SERIAL = -1;

/** The values by which spans are filtered, with their application: few combinations for many spans. */
export interface SpanLabels extends LabelContext {
  /** Unique, also among removed labels. */
  readonly serial: number;
  readonly model: string;
  readonly provider: string;
  readonly agent: string;
  /** Name of the tool of a tool span; `""` on other spans. */
  readonly toolName: string;
  readonly promptName: string;
  readonly promptVersion: string;
  readonly spanType: string;
  readonly status: string;
  readonly errorCategory: string;
  readonly evaluationType: string;
}

/** What labels are read from. */
type LabelContext = Pick<BatchContext, "service" | "env" | "version">;
type LabelFacts = Pick<
  SpanFacts,
  | "model"
  | "provider"
  | "agent"
  | "toolName"
  | "promptName"
  | "promptVersion"
  | "spanType"
  | "status"
  | "errorCategory"
  | "evaluationType"
>;

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
  /** The entries found last, two for each hash; see {@link slotOf}. */
  readonly #recent: (Entry | undefined)[] = new Array<Entry | undefined>(RECENT_ENTRIES).fill(undefined);
  #bytes = 0;
  #nextSerial = 0;
  #lastContext: LabelContext | undefined;
  #lastContextKey = "";

  /** Estimated heap size. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The id of a span's labels; adds a reference. */
  acquire(context: LabelContext, facts: LabelFacts): number {
    const slot = slotOf(facts, toolNameOf(facts));
    const entry =
      this.#recentAt(slot, context, facts) ??
      this.#recentAt(slot + 1, context, facts) ??
      this.#find(slot, context, facts);
    entry.references++;
    return entry.id;
  }

  #recentAt(slot: number, context: LabelContext, facts: LabelFacts): Entry | undefined {
    const entry = this.#recent[slot];
    return entry !== undefined && isSame(entry.labels, context, facts) ? entry : undefined;
  }

  #find(slot: number, context: LabelContext, facts: LabelFacts): Entry {
    const { model, provider, agent, promptName, promptVersion } = facts;
    const { spanType, status, evaluationType, errorCategory } = facts;
    const toolName = toolNameOf(facts);
    // The lengths make the key unique for each combination of texts.
    const lengths =
      `${model.length},${provider.length},${agent.length},${toolName.length},${promptName.length},` +
      `${promptVersion.length},${spanType.length},${status.length},${evaluationType.length}`;
    const texts =
      `${model}${provider}${agent}${toolName}${promptName}` +
      `${promptVersion}${spanType}${status}${evaluationType}${errorCategory}`;
    const key = `${this.#contextKey(context)}${lengths}:${texts}`;
    const known = this.#ids.get(key);
    const entry = known === undefined ? this.#add(key, context, facts) : this.#entry(known);
    // Two combinations with the same hash are both found.
    this.#recent[slot + 1] = this.#recent[slot];
    this.#recent[slot] = entry;
    return entry;
  }

  #add(key: string, context: LabelContext, facts: LabelFacts): Entry {
    const { model, provider, agent, promptName, promptVersion } = facts;
    const { spanType, status, evaluationType, errorCategory } = facts;
    const { service, env, version } = context;
    // Copies: a text may be a slice of the request, and an entry outlives the request.
    const labels = {
      serial: this.#nextSerial++,
      service: copyText(service),
      env: copyText(env),
      version: version === undefined ? undefined : copyText(version),
      model: copyText(model),
      provider: copyText(provider),
      agent: copyText(agent),
      toolName: copyText(toolNameOf(facts)),
      promptName: copyText(promptName),
      promptVersion: copyText(promptVersion),
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
    const slot = slotOf(entry.labels, entry.labels.toolName);
    if (this.#recent[slot] === entry) this.#recent[slot] = undefined;
    if (this.#recent[slot + 1] === entry) this.#recent[slot + 1] = undefined;
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
  #contextKey(context: LabelContext): string {
    if (context !== this.#lastContext) {
      this.#lastContext = context;
      this.#lastContextKey = JSON.stringify([context.service, context.env, context.version]);
    }
    return this.#lastContextKey;
  }
}

/** The tools of a trace are those that its tool spans name. */
function toolNameOf({ spanType, toolName }: LabelFacts): string {
  return spanType === "tool" ? toolName : "";
}

/** A cheap hash of the labels that differ most often, even. The entry is there or in the slot after it. */
function slotOf(
  labels: Pick<SpanLabels, "model" | "agent" | "promptName" | "spanType" | "status">,
  toolName: string,
): number {
  const { model, agent, promptName, spanType, status } = labels;
  const hash = mix(mix(mix(mix(spanType.length * 31 + status.length, model), agent), promptName), toolName);
  return (hash ^ (hash >>> 9) ^ (hash >>> 18)) & (RECENT_ENTRIES - 2);
}

function mix(hash: number, text: string): number {
  const { length } = text;
  if (length === 0) return Math.imul(hash, 31);
  const characters =
    text.charCodeAt(0) + text.charCodeAt(length - 1) * 67 + text.charCodeAt(length >> 1) * 521;
  return Math.imul(hash, 31) + Math.imul(characters + length, 0x2545f491);
}

/** Compares first what differs most often. */
function isSame(labels: SpanLabels, context: LabelContext, facts: LabelFacts): boolean {
  return (
    labels.model === facts.model &&
    labels.spanType === facts.spanType &&
    labels.toolName === toolNameOf(facts) &&
    labels.provider === facts.provider &&
    labels.promptName === facts.promptName &&
    labels.promptVersion === facts.promptVersion &&
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
