import { Buffer } from "node:buffer";
import type { Clock } from "../runtime/clock.js";
import type { LiveReader } from "./live-reader.js";
import type { RunningTexts } from "./running-texts.js";
import { createWritePacer, type WritePacer } from "./write-pacer.js";

/** Most bytes of one update of a reader, unless one event is longer. The rest follows with the next update. */
const MAX_UPDATE_BYTES = 256 * 1024;
/** Longest redaction and encoding of one update of one reader, and of one round for all of them. */
const MAX_UPDATE_WORK_MS = 10;
const MAX_ROUND_WORK_MS = 40;
/** A comment after this many idle checks, so that proxies do not end the connection. */
const CHECKS_PER_COMMENT = 15;

const NOTHING = new Uint8Array(0);

interface Connected {
  readonly reader: LiveReader;
  readonly traceId: string;
  /** Of the last text it has received. */
  version: number;
}

/** The events of an update, which readers at the same version share. */
interface Update {
  readonly bytes: Uint8Array;
  /** Of the last text that was read for it. */
  readonly version: number;
}

/** Work of a round so far. */
interface Round {
  readonly pacer: WritePacer;
  workMs: number;
  /** The updates of this round, by {@link updateKey}. */
  readonly updates: Map<string, Update>;
}

/**
 * Sends the texts of a trace's running spans to the readers of that trace. A round is one of several turns of the event loop.
 * What exceeds the time or the size of a round follows in the next one.
 */
export class TextReaders {
  readonly #texts: RunningTexts;
  readonly #clock: Pick<Clock, "monotonic">;
  /** The reader whose last update is the oldest comes first. */
  readonly #connected = new Set<Connected>();
  #isSending = false;
  #checks = 0;

  constructor(texts: RunningTexts, clock: Pick<Clock, "monotonic">) {
    this.#texts = texts;
    this.#clock = clock;
  }

  get size(): number {
    return this.#connected.size;
  }

  /** Adds a reader, which receives the latest text of each running span first. @returns a function that removes it. */
  connect(reader: LiveReader, traceId: string): () => void {
    const each: Connected = { reader, traceId, version: 0 };
    this.#connected.add(each);
    reader.write("retry: 1000\n\n");
    void this.send();
    return () => this.#connected.delete(each);
  }

  /**
   * Sends each reader the texts that changed. A reader that is behind gets only the latest of each span. Does nothing while
   * the previous round lasts.
   */
  async send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      const round: Round = { pacer: createWritePacer(this.#clock), workMs: 0, updates: new Map() };
      for (const each of [...this.#connected]) await this.#update(each, round);
    } finally {
      this.#isSending = false;
    }
  }

  /** Ends the connections whose key or session has ended. */
  check(): void {
    const isIdleComment = ++this.#checks % CHECKS_PER_COMMENT === 0;
    for (const each of this.#connected) {
      if (!each.reader.isAllowed()) {
        this.#connected.delete(each);
        each.reader.end();
      } else if (isIdleComment && !each.reader.isBehind()) each.reader.write(":\n\n");
    }
  }

  /** Ends the first reader that is behind, else the one whose last update is the oldest. @returns false without readers. */
  endOne(): boolean {
    const all = [...this.#connected];
    const each = all.find(({ reader }) => reader.isBehind()) ?? all[0];
    if (each === undefined) return false;
    this.#connected.delete(each);
    each.reader.end();
    return true;
  }

  stop(): void {
    for (const { reader } of this.#connected) reader.end();
    this.#connected.clear();
  }

  async #update(each: Connected, round: Round): Promise<void> {
    const { reader, traceId, version } = each;
    if (!this.#canWriteTo(each)) return;
    if (this.#texts.newestVersion(traceId) <= version) {
      await round.pacer.pause();
      return;
    }
    const key = updateKey(each);
    let update = round.updates.get(key);
    if (update === undefined) round.updates.set(key, (update = await this.#encode(each, round)));
    // The reader may have disconnected or fallen behind during the await.
    if (!this.#canWriteTo(each, update.bytes.length)) return;
    if (update.version === version) return;
    each.version = update.version;
    this.#connected.delete(each);
    this.#connected.add(each);
    if (update.bytes.length > 0) reader.write(update.bytes);
    await round.pacer.wrote(update.bytes.length);
  }

  /** Encodes the texts after the version of a reader, until the update is full or its time is over. */
  async #encode({ reader, traceId, version }: Connected, round: Round): Promise<Update> {
    const events: Uint8Array[] = [];
    let bytes = 0;
    let workMs = 0;
    const newest = this.#texts.newestVersion(traceId);
    const changed = this.#texts.changedSince(version, traceId, reader.tenant);
    let last = changed.length === 0 ? newest : version;
    for (const [index, text] of changed.entries()) {
      if (text.isLatest && !text.isEncoded) {
        if (workMs >= MAX_UPDATE_WORK_MS || round.workMs >= MAX_ROUND_WORK_MS) break;
        const startedAtMs = this.#clock.monotonic();
        this.#texts.encode(text);
        const tookMs = this.#clock.monotonic() - startedAtMs;
        workMs += tookMs;
        round.workMs += tookMs;
      }
      // A text that was replaced or dropped during an await is not sent.
      const event = text.isLatest ? this.#texts.encode(text) : NOTHING;
      if (bytes > 0 && bytes + event.length > MAX_UPDATE_BYTES) break;
      if (event.length > 0) events.push(event);
      bytes += event.length;
      last = index === changed.length - 1 ? newest : text.version;
      await round.pacer.pause();
    }
    const [only] = events;
    return { bytes: events.length === 1 && only ? only : Buffer.concat(events, bytes), version: last };
  }

  #canWriteTo(each: Connected, bytes?: number): boolean {
    return this.#connected.has(each) && !each.reader.isBehind(bytes);
  }
}

/** Readers with the same key get the same update. Unique: a tenant has no line break. */
function updateKey({ reader: { tenant }, traceId, version }: Connected): string {
  return `${version} ${tenant === undefined ? "all" : `of ${tenant}`}\n${traceId}`;
}
