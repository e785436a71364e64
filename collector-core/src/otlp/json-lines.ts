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

/** Spans of a line at most, and the bytes of them together, where it is more than one. */
const MAX_LINE_SPANS = 100;
const MAX_LINE_BYTES = 2 ** 20;
/** Characters that are handed on together. */
const HANDED_ON = 256 * 1024;

/**
 * Spans as lines of OTLP's JSON, each a whole request, as the OpenTelemetry Collector's file exporter writes them.
 * The order of the spans is kept; a line holds no more than a megabyte, or else one span.
 *
 * @param version - of the collector.
 * @returns the text of all lines in parts, which may end anywhere; undefined where the work may pause.
 */
export function* jsonLines(
  spans: Iterable<WritableSpan>,
  version: string,
): Generator<string | undefined, void, undefined> {
  const parts = new TextParts();
  /** Of the line under way. */
  let lastContext: BatchContext | undefined;
  let count = 0;
  let bytes = 0;

  for (const each of spans) {
    const size = valueSize(each.span.attributes) + valueSize(each.span.events);
    const isFull = count === MAX_LINE_SPANS || (count > 0 && bytes + size > MAX_LINE_BYTES);
    if (isFull) {
      parts.add(END_OF_LINE);
      yield parts.take();
      lastContext = undefined;
      count = 0;
      bytes = 0;
    }
    yield undefined;
    let writer = new JsonSpanWriter();
    for (const pause of writeSpanOrLess(each, () => (writer = new JsonSpanWriter()))) yield pause;
    if (lastContext === undefined) parts.add(`{"resourceSpans":[${beginGroup(each.context, version)}`);
    else if (contextKey(lastContext) === contextKey(each.context)) parts.add(",");
    else parts.add(`${END_OF_GROUP},${beginGroup(each.context, version)}`);
    for (const piece of writer.pieces) {
      parts.add(piece);
      if (parts.length >= HANDED_ON) yield parts.take();
    }
    lastContext = each.context;
    count++;
    bytes += size;
  }
  if (count === 0) return;
  parts.add(END_OF_LINE);
  yield parts.take();
}

/** The beginning of a `ResourceSpans`, up to its spans. */
function beginGroup(context: BatchContext, version: string): string {
  const attributes = resourceAttributes(context).map(([key, value]) => keyValueJson(key, value));
  const resource = attributes.length === 0 ? "{}" : `{"attributes":[${attributes.join(",")}]}`;
  const scope = JSON.stringify({ name: SCOPE_NAME, ...(version === "" ? {} : { version }) });
  return `{"resource":${resource},"scopeSpans":[{"scope":${scope},"spans":[`;
}

const END_OF_GROUP = "]}]}";
const END_OF_LINE = `${END_OF_GROUP}]}\n`;

/** Gathers a text that is handed on in parts. */
class TextParts {
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
