import { valueSize } from "../span/value-size.js";
import type { BatchContext } from "../span/span-facts.js";
import { JsonSpanWriter, keyValueJson } from "./json-span-writer.js";
import {
  contextKey,
  resourceAttributes,
  SCOPE_NAME,
  writeSpanOrLess,
  type WritableSpan,
} from "./request-to-otlp.js";

/** Maximum number of spans per line, and of their bytes if there is more than one. */
const MAX_LINE_SPANS = 100;
const MAX_LINE_BYTES = 2 ** 20;
/** Characters per chunk. */
const CHUNK_LENGTH = 256 * 1024;

/**
 * Writes spans as lines of OTLP JSON, each a complete request, like the file exporter of the OpenTelemetry Collector. Keeps
 * the order of the spans. A line has at most a megabyte, unless it is a single span. The methods yield chunks of the text,
 * which may end anywhere, and undefined where the work may pause.
 */
export class JsonLines {
  readonly #version: string;
  readonly #chunks = new TextChunks();
  /** Context of the last span in the current line. */
  #lastContext: BatchContext | undefined;
  #count = 0;
  #bytes = 0;

  /** @param version - version of the collector. */
  constructor(version: string) {
    this.#version = version;
  }

  /** Writes spans. They continue the line of an earlier call. */
  *write(spans: Iterable<WritableSpan>): Generator<string | undefined, void, undefined> {
    const chunks = this.#chunks;
    for (const each of spans) {
      const size = valueSize(each.span.attributes) + valueSize(each.span.events);
      const isFull =
        this.#count === MAX_LINE_SPANS || (this.#count > 0 && this.#bytes + size > MAX_LINE_BYTES);
      if (isFull) yield* this.end();
      yield undefined;
      let writer = new JsonSpanWriter();
      yield* writeSpanOrLess(each, () => (writer = new JsonSpanWriter()));
      chunks.add(this.#separatorBefore(each.context));
      for (const piece of writer.pieces) {
        chunks.add(piece);
        if (chunks.length >= CHUNK_LENGTH) yield chunks.take();
      }
      this.#lastContext = each.context;
      this.#count++;
      this.#bytes += size;
    }
  }

  /** Writes a span on a line of its own. */
  *writeAlone(span: WritableSpan): Generator<string | undefined, void, undefined> {
    yield* this.end();
    yield* this.write([span]);
    yield* this.end();
  }

  /** Ends the current line. */
  *end(): Generator<string, void, undefined> {
    if (this.#count === 0) return;
    this.#chunks.add(END_OF_LINE);
    yield this.#chunks.take();
    this.#lastContext = undefined;
    this.#count = 0;
    this.#bytes = 0;
  }

  #separatorBefore(context: BatchContext): string {
    const last = this.#lastContext;
    if (last === undefined) return `{"resourceSpans":[${beginGroup(context, this.#version)}`;
    if (contextKey(last) === contextKey(context)) return ",";
    return `${END_OF_GROUP},${beginGroup(context, this.#version)}`;
  }
}

/** The start of a `ResourceSpans`, up to its spans. */
function beginGroup(context: BatchContext, version: string): string {
  const attributes = resourceAttributes(context).map(([key, value]) => keyValueJson(key, value));
  const resource = attributes.length === 0 ? "{}" : `{"attributes":[${attributes.join(",")}]}`;
  const scope = JSON.stringify({ name: SCOPE_NAME, ...(version === "" ? {} : { version }) });
  return `{"resource":${resource},"scopeSpans":[{"scope":${scope},"spans":[`;
}

const END_OF_GROUP = "]}]}";
const END_OF_LINE = `${END_OF_GROUP}]}\n`;

/** Collects a text that is passed on in chunks. */
class TextChunks {
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  take(): string {
    const text = this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    return text;
  }
}
