import type { NormalizedSpan } from "../api-schema/trace.js";
import { MAX_EVENTS } from "../span/normalize-span.js";
import { CHECKED_ATTRIBUTES } from "../span/span-facts.js";
import { COMMA } from "../span/json-bytes.js";
import type { EventOutline, JsonRange, SpanOutline } from "../span/span-outline.js";
import { runInSlices } from "../runtime/steps.js";
import {
  isObjectAt,
  outlineStored,
  readHeader,
  scalarAt,
  type OutlinedSpan,
  type StoredSpan,
} from "../span/stored-span.js";
import { formatInstant, parseTimestamp } from "../span/timestamp.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import { previewInSteps } from "./json-text-preview.js";
import { TEXT_LIMIT, type TextLimit } from "./shorten-texts.js";

/** Bytes per chunk. */
const CHUNK_BYTES = 64 * 1024;

/**
 * Writes a large span of a response in chunks. The span is not parsed: most of the output are the stored bytes.
 *
 * @param limit - which texts are replaced by a preview and their size; undefined for none.
 */
export async function* largeSpanJson(
  stored: StoredSpan,
  limit: TextLimit | undefined,
  timeSlice: TimeSlice,
): AsyncGenerator<string | Buffer> {
  const { maxBytes: longTextBytes } = limit ?? TEXT_LIMIT;
  const options = { wanted: CHECKED_ATTRIBUTES, maxEvents: MAX_EVENTS, longTextBytes };
  const outlined = await outlineStored(stored, options, timeSlice);
  const { json, outline } = outlined;
  for (const part of parts(outlined, readHeader(json, outline, stored))) {
    if (typeof part === "string") yield part;
    else yield* chunksOf(json, part, outline.longTexts, limit, timeSlice);
  }
}

/** The JSON of the span: strings, and ranges of the stored bytes. */
function* parts({ json, outline }: OutlinedSpan, header: NormalizedSpan): Generator<string | JsonRange> {
  // JSON.stringify omits undefined properties.
  const fields = JSON.stringify({
    ...header,
    attributes: undefined,
    events: undefined,
    error_propagated: undefined,
  });
  yield `${fields.slice(0, -1)},"attributes":`;
  yield* attributeParts(json, outline, header.attributes);
  yield `,"events":[`;
  let separator = "";
  for (const event of outline.events) {
    yield separator;
    yield* eventParts(json, event);
    separator = ",";
  }
  yield header.error_propagated === true ? `],"error_propagated":true}` : "]}";
}

/** @param usable - the checked attributes that are valid. */
function* attributeParts(
  json: Buffer,
  { fields, attributes }: SpanOutline,
  usable: NormalizedSpan["attributes"],
): Generator<string | JsonRange> {
  const object = fields.get("attributes");
  if (!isObjectAt(json, object)) {
    yield "{}";
    return;
  }
  const omitted = attributes.filter(({ key }) => !Object.hasOwn(usable, key));
  if (omitted.length === 0) {
    yield object;
    return;
  }
  let separator = "{";
  let start = object.start + 1;
  for (const { from, value } of [...omitted, { from: object.end - 1, value: object }]) {
    const members = trimmed(json, start, from);
    if (members.start < members.end) {
      yield separator;
      yield members;
      separator = ",";
    }
    start = value.end;
  }
  yield separator === "{" ? "{}" : "}";
}

/** Members of an object without the white space and commas around them. */
function trimmed(json: Buffer, from: number, to: number): JsonRange {
  let start = from;
  let end = to;
  while (start < end && isSpaceOrComma(json[start] ?? 0)) start++;
  while (start < end && isSpaceOrComma(json[end - 1] ?? 0)) end--;
  return { start, end };
}

function isSpaceOrComma(byte: number): boolean {
  return byte <= 0x20 || byte === COMMA;
}

function* eventParts(json: Buffer, { name, time, attributes }: EventOutline): Generator<string | JsonRange> {
  if (name === undefined) return;
  yield `{"name":`;
  yield name;
  const instant = time && parseTimestamp(scalarAt(json, time));
  const timeText = instant === undefined ? "" : `,"time":"${formatInstant(instant)}"`;
  yield `${timeText},"attributes":`;
  if (isObjectAt(json, attributes)) {
    yield attributes;
    yield "}";
  } else yield "{}}";
}

/** Copies of a range of the bytes, with previews instead of some texts. */
async function* chunksOf(
  json: Buffer,
  part: JsonRange,
  longTexts: readonly JsonRange[],
  limit: TextLimit | undefined,
  timeSlice: TimeSlice,
): AsyncGenerator<string | Buffer> {
  let from = part.start;
  for (const text of longTexts) {
    if (limit === undefined) break;
    if (text.start < part.start || text.end > part.end) continue;
    const preview = await runInSlices(previewInSteps(json, text, limit), timeSlice);
    if (preview === undefined) continue;
    yield* copiesOf(json, from, text.start, timeSlice);
    yield JSON.stringify(preview);
    from = text.end;
  }
  yield* copiesOf(json, from, part.end, timeSlice);
}

async function* copiesOf(
  json: Buffer,
  from: number,
  to: number,
  timeSlice: TimeSlice,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += CHUNK_BYTES) {
    if (timeSlice.isOver()) await timeSlice.next();
    // Copies: the store may reuse the memory before the socket has sent the chunk.
    yield Buffer.from(json.subarray(at, Math.min(to, at + CHUNK_BYTES)));
  }
}
