import type { PartialCompletionEvent } from "../api-schema/live.js";
import type { LiveReader } from "./live-reader.js";
import type { RunningText, RunningTexts } from "./running-texts.js";

/** Most memory of the texts of one update of a reader. The rest follows with the next update. */
const MAX_UPDATE_BYTES = 512 * 1024;
/** A comment after this many idle checks, so that proxies do not end the connection. */
const CHECKS_PER_COMMENT = 15;

interface Connected {
  readonly reader: LiveReader;
  readonly traceId: string;
  /** Of the last text it has received. */
  version: number;
}

/** Sends the texts of a trace's running spans to the readers of that trace. */
export class TextReaders {
  readonly #texts: RunningTexts;
  readonly #connected = new Set<Connected>();
  #checks = 0;

  constructor(texts: RunningTexts) {
    this.#texts = texts;
  }

  /** Adds a reader, which receives the latest text of each running span first. @returns a function that removes it. */
  connect(reader: LiveReader, traceId: string): () => void {
    const each: Connected = { reader, traceId, version: 0 };
    this.#connected.add(each);
    reader.write("retry: 1000\n\n");
    this.#update(each);
    return () => this.#connected.delete(each);
  }

  /** Sends each reader the texts that changed. A reader that is behind gets only the latest of each span. */
  send(): void {
    for (const each of this.#connected) this.#update(each);
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

  stop(): void {
    for (const { reader } of this.#connected) reader.end();
    this.#connected.clear();
  }

  #update(each: Connected): void {
    const { reader, traceId, version } = each;
    if (reader.isBehind()) return;
    let update = "";
    let bytes = 0;
    for (const changed of this.#texts.changedSince(version, traceId, reader.tenant)) {
      if (bytes >= MAX_UPDATE_BYTES) break;
      bytes += changed.bytes;
      each.version = changed.version;
      update += eventOf(changed);
    }
    if (update !== "") reader.write(update);
  }
}

/** The event of a running text; an empty text if nothing of it can be shown. */
function eventOf({ tenant, traceId, spanId, text }: RunningText): string {
  const shown = text();
  if (shown === "") return "";
  const data: PartialCompletionEvent = {
    tenant,
    trace_id: traceId,
    span_id: spanId,
    completion_partial: shown,
  };
  return `event: partial\ndata: ${JSON.stringify(data)}\n\n`;
}
