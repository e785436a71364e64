import type { Span } from "@obspan/sdk/wire";
import { createConcurrencyLimit } from "../runtime/concurrency-limit.js";
import type { NormalizedSpan } from "../api-schema/trace.js";
import type { MaybePromise } from "../runtime/maybe-promise.js";
import type { TimeSlice } from "../runtime/time-slice.js";
import { OPEN_BRACE, OPEN_BRACKET } from "./json-bytes.js";
import { bytesInSteps, parseInSteps } from "./json-in-steps.js";
import { normalizeSpan, withStoredCost } from "./normalize-span.js";
import { CHECKED_ATTRIBUTES, readSpanFacts, type BatchContext, type SpanFacts } from "./span-facts.js";
import { outlineSpan, type JsonRange, type OutlineOptions, type SpanOutline } from "./span-outline.js";
import { runInSlices } from "../runtime/steps.js";
import { unreadableAttributes } from "./unreadable-attributes.js";

/**
 * A span in a store. It may have ten megabytes, which take up to a second to parse. Only the functions of this file read
 * one, and they read a large one in time slices.
 */
export interface StoredSpan {
  /** Position of the received JSON. */
  readonly slice: JsonRange & { readonly memory: { readonly bytes: Buffer } };
  readonly context: BatchContext;
  /** True if it was running and had no update for too long. */
  readonly isAbandoned: boolean;
  /** True for an llm span whose usage does not count, because an inner call has it (contract 6). */
  readonly isWrapper: boolean;
  /** The cost that the collector computed for it. */
  readonly computedCostUsd?: number | undefined;
}

/** A span as received, with its facts. */
export interface ReceivedSpan {
  readonly context: BatchContext;
  readonly span: Span;
  readonly facts: SpanFacts;
}

/** Maximum size of a span that is parsed at once, which takes a few milliseconds at worst. */
export const SMALL_SPAN_BYTES = 32 * 1024;

/** Parses one large span at a time: its value takes many times the memory of its bytes. */
const limited = createConcurrencyLimit(1);

/** False for a span that has to be read in slices. */
export function isSmallSpan({ slice }: StoredSpan): boolean {
  return slice.end - slice.start <= SMALL_SPAN_BYTES;
}

/** Reads a normalized span. */
export function readStored(stored: StoredSpan, timeSlice: TimeSlice): MaybePromise<NormalizedSpan> {
  if (isSmallSpan(stored)) return readSmall(stored);
  return parseLarge(stored, timeSlice).then((span) => normalized(span, stored));
}

/** {@link readStored} of a small span. */
export function readSmall(stored: StoredSpan): NormalizedSpan {
  return normalized(parseSmall(stored), stored);
}

/** Reads a span as received. */
export function readReceived(stored: StoredSpan, timeSlice: TimeSlice): MaybePromise<ReceivedSpan> {
  if (isSmallSpan(stored)) return readSmallReceived(stored);
  return parseLarge(stored, timeSlice).then((span) => received(span, stored));
}

/** {@link readReceived} of a small span. */
export function readSmallReceived(stored: StoredSpan): ReceivedSpan {
  return received(parseSmall(stored), stored);
}

/**
 * Reads a span. A large one is read with only some attributes and without events.
 *
 * @param attributes - keys to read; a small span has all attributes.
 */
export function readPartly(
  stored: StoredSpan,
  attributes: ReadonlySet<string>,
  timeSlice: TimeSlice,
): MaybePromise<NormalizedSpan> {
  return isSmallSpan(stored) ? readSmall(stored) : readPartOfLarge(stored, attributes, timeSlice);
}

async function readPartOfLarge(
  stored: StoredSpan,
  attributes: ReadonlySet<string>,
  timeSlice: TimeSlice,
): Promise<NormalizedSpan> {
  const { json, outline, header } = await outlineWith(stored, attributes, timeSlice);
  const values: Record<string, unknown> = { ...header.attributes };
  for (const { key, value } of outline.attributes) {
    if (!attributes.has(key) || !Object.hasOwn(values, key) || !isContainerAt(json, value)) continue;
    values[key] = await limited(() => runInSlices(parseInSteps(json, value.start), timeSlice));
  }
  return { ...header, attributes: values as NormalizedSpan["attributes"] };
}

/** The texts of a span, with those of its error. */
export const TEXT_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...["input_text", "output_text", "prompt_text", "completion_text"],
  ...["error_type", "error_message", "error_stack"],
]);

/** Reads a span without its lists, objects and events. Of a large one, only some attributes are read. */
export function readScalars(
  stored: StoredSpan,
  attributes: ReadonlySet<string>,
  timeSlice: TimeSlice,
): MaybePromise<NormalizedSpan> {
  if (isSmallSpan(stored)) return withoutContainers(readSmall(stored));
  return outlineWith(stored, attributes, timeSlice).then(({ header }) => withoutContainers(header));
}

function withoutContainers(span: NormalizedSpan): NormalizedSpan {
  const attributes = Object.entries(span.attributes).filter(
    ([, value]) => value === null || typeof value !== "object",
  );
  return { ...span, attributes: Object.fromEntries(attributes), events: [] };
}

async function outlineWith(stored: StoredSpan, attributes: ReadonlySet<string>, timeSlice: TimeSlice) {
  const wanted = new Set([...CHECKED_ATTRIBUTES, ...attributes]);
  const outlined = await outlineStored(stored, { wanted, maxEvents: 0 }, timeSlice);
  return { ...outlined, header: readHeader(outlined.json, outlined.outline, stored) };
}

/** Bytes of a span in which the parts of it stand as an answer gives them, and where they are. */
export interface OutlinedSpan {
  readonly json: Buffer;
  readonly outline: SpanOutline;
}

/** Finds the parts of a large span without parsing it. If its bytes are ambiguous, the span is serialized again first. */
export async function outlineStored(
  stored: StoredSpan,
  options: OutlineOptions,
  timeSlice: TimeSlice,
): Promise<OutlinedSpan> {
  const { memory, start, end } = stored.slice;
  const outline = await runInSlices(outlineSpan(memory.bytes, { start, end }, options), timeSlice);
  if (outline !== undefined) return { json: memory.bytes, outline };
  const json = await limited(() => writeAgain(stored, timeSlice));
  const whole = { start: 0, end: json.length };
  const again = await runInSlices(outlineSpan(json, whole, { ...options, isCanonical: true }), timeSlice);
  if (again === undefined) throw new Error("A span that was written again cannot be read.");
  return { json, outline: again };
}

async function writeAgain(stored: StoredSpan, timeSlice: TimeSlice): Promise<Buffer> {
  const { memory, start } = stored.slice;
  try {
    const span = (await runInSlices(parseInSteps(memory.bytes, start), timeSlice)) as Span;
    // Normalizes first: a number that is too large is written as null, which does not count as invalid.
    const { attributes } = normalizeSpan(span, stored.context);
    return await runInSlices(bytesInSteps({ ...span, attributes }), timeSlice);
  } catch (error) {
    // Nested too deep to write; the parser has no depth limit.
    if (!(error instanceof RangeError)) throw error;
    return Buffer.from(
      JSON.stringify({ ...parseSmall(stored), attributes: unreadableAttributes(error), events: [] }),
    );
  }
}

/** The span without its events, and of its attributes those of the outline; `{}` in place of lists and objects. */
export function readHeader(json: Buffer, outline: SpanOutline, stored: StoredSpan): NormalizedSpan {
  const span: Record<string, unknown> = {};
  for (const [key, range] of outline.fields) if (key !== "events") span[key] = scalarAt(json, range);
  const attributes = outline.attributes.map(({ key, value }) => [key, scalarAt(json, value)] as const);
  if (isObjectAt(json, outline.fields.get("attributes"))) span["attributes"] = Object.fromEntries(attributes);
  return normalized(span as unknown as Span, stored);
}

/** True if the range is an object. */
export function isObjectAt(json: Buffer, range: JsonRange | undefined): range is JsonRange {
  return range !== undefined && json[range.start] === OPEN_BRACE;
}

/** Parses a scalar; returns `{}` for a list or object, which is invalid in every field that is read. */
export function scalarAt(json: Buffer, range: JsonRange): unknown {
  if (isContainerAt(json, range)) return {};
  return JSON.parse(json.toString("utf8", range.start, range.end)) as unknown;
}

function isContainerAt(json: Buffer, { start }: JsonRange): boolean {
  return json[start] === OPEN_BRACE || json[start] === OPEN_BRACKET;
}

function parseLarge(stored: StoredSpan, timeSlice: TimeSlice): Promise<Span> {
  const { memory, start } = stored.slice;
  return limited(async () => (await runInSlices(parseInSteps(memory.bytes, start), timeSlice)) as Span);
}

function parseSmall({ slice: { memory, start, end } }: StoredSpan): Span {
  return JSON.parse(memory.bytes.toString("utf8", start, end)) as Span;
}

function normalized(span: Span, { context, isAbandoned, computedCostUsd }: StoredSpan): NormalizedSpan {
  const read = normalizeSpan(span, context, undefined, computedCostUsd);
  return isAbandoned ? { ...read, status: "ABANDONED" } : read;
}

function received(span: Span, { context, computedCostUsd }: StoredSpan): ReceivedSpan {
  const facts = readSpanFacts(span, context, undefined, () => undefined);
  return { context, span, facts: withStoredCost(facts, computedCostUsd) };
}
