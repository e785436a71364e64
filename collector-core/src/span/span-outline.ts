import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  closingQuote,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  valueEnd,
  wordsOf,
} from "./json-bytes.js";
import { KeySets } from "./key-sets.js";
import type { Steps } from "../runtime/steps.js";

/** A part of the bytes of some JSON. */
export interface JsonRange {
  readonly start: number;
  /** Behind the last byte. */
  readonly end: number;
}

/** An attribute that is wanted, and where it is. */
export interface AttributeRange {
  readonly key: string;
  /** Where its key begins. */
  readonly from: number;
  readonly value: JsonRange;
}

/** Where the parts of an event are; one without a name is none. */
export type EventOutline = Partial<Record<EventKey, JsonRange>>;
type EventKey = "name" | "time" | "attributes";

/** Where the parts of a span are in its bytes. */
export interface SpanOutline {
  /** Values of the span's own keys; the last one where a key comes twice. */
  readonly fields: ReadonlyMap<string, JsonRange>;
  /** Of the attributes, those that are wanted. */
  readonly attributes: readonly AttributeRange[];
  /** The first events that can be used. */
  readonly events: readonly EventOutline[];
  /** Texts of attributes and events that may be long, in the order of the bytes. */
  readonly longTexts: readonly JsonRange[];
}

/** What is looked for in a span. */
export interface OutlineOptions {
  readonly maxEvents: number;
  /** Keys of attributes. */
  readonly wanted: ReadonlySet<string>;
  /** Texts of no more bytes are not long. Default: none is. */
  readonly longTextBytes?: number;
  /** True for what JSON.stringify has written: nothing in it is checked again. */
  readonly isCanonical?: boolean;
}

/** Bytes between two steps: about a millisecond. */
const STEP_BYTES = 128 * 1024;
const FIELDS: ReadonlySet<string> = new Set([
  "name",
  "trace_id",
  "span_id",
  "parent_span_id",
  "span_type",
  "status",
  "start_time",
  "end_time",
  "duration_ms",
  "attributes",
  "events",
  "error_propagated",
]);
const EVENT_KEYS: ReadonlySet<string> = new Set<EventKey>(["name", "time", "attributes"]);
/** Each character of a key may be written in six bytes. */
const BYTES_PER_CHARACTER = 6;
const LONGEST_FIELD_BYTES = longestBytes(FIELDS);
const LONGEST_EVENT_KEY_BYTES = longestBytes(EVENT_KEYS);
/** A number of fewer characters is finite. */
const SHORTEST_INFINITE = 300;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/**
 * Finds the parts of a span in its bytes, which are not parsed.
 *
 * @param json - UTF-8 that JSON.parse has accepted.
 * @returns undefined where a part of it, written again as it stands, would not say what JSON.parse and JSON.stringify
 * make of it: an object has a key twice, or a number is too large.
 */
export function outlineSpan(
  json: Uint8Array,
  span: JsonRange,
  options: OutlineOptions,
): Steps<SpanOutline | undefined> {
  return new SpanScanner(json, options).scan(span);
}

class SpanScanner {
  readonly #words: DataView;
  readonly #longestWanted: number;
  readonly #fields = new Map<string, JsonRange>();
  #attributes: AttributeRange[] = [];
  #events: EventOutline[] = [];
  readonly #longTexts: JsonRange[] = [];
  readonly #keys = new KeySets();
  /** Where the containers begin that are open, the span first. */
  readonly #open: number[] = [];
  /** Of the key that came last: its name at the top, where it is one of {@link FIELDS}. */
  #field = "";
  /** What the container is at whose inside the scan is, one level below the top. */
  #section: "attributes" | "events" | undefined;
  /** Of the key that came last in attributes. */
  #attribute: { readonly key: string; readonly from: number } | undefined;
  #event: EventOutline = {};
  #eventKey: EventKey | undefined;

  constructor(
    private readonly json: Uint8Array,
    private readonly options: OutlineOptions,
  ) {
    this.#words = wordsOf(json);
    this.#longestWanted = longestBytes(options.wanted);
  }

  *scan({ start, end }: JsonRange): Steps<SpanOutline | undefined> {
    const { json } = this;
    const { isCanonical = false } = this.options;
    const words = this.#words;
    let stepEnd = start + STEP_BYTES;
    for (let at = start; at < end;) {
      if (at >= stepEnd) {
        yield;
        stepEnd = at + STEP_BYTES;
      }
      const byte = json[at] ?? 0;
      switch (byte) {
        case QUOTE: {
          const from = at;
          at = closingQuote(json, words, from) + 1;
          const next = skipSpace(json, at);
          if (json[next] === COLON) {
            this.#key(from, at);
            at = next + 1;
          } else this.#text(from, at);
          break;
        }
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this.#opened(at++, byte);
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          if (!this.#closed(++at) && !isCanonical) return undefined;
          break;
        default:
          if (isNumber(byte)) {
            const from = at;
            at = valueEnd(json, words, from);
            if (!isCanonical && !isFiniteNumber(json, from, at)) return undefined;
            this.#value(from, at);
          } else if (byte <= 0x20 || byte === COMMA) at++;
          else {
            const from = at;
            at = valueEnd(json, words, from);
            this.#value(from, at);
          }
      }
    }
    return {
      fields: this.#fields,
      attributes: this.#attributes,
      events: this.#events,
      longTexts: this.#longTexts,
    };
  }

  #opened(at: number, byte: number): void {
    const level = this.#open.push(at);
    if (level === 2) {
      if (this.#field === "attributes" && byte === OPEN_BRACE) {
        this.#section = "attributes";
        this.#attributes = [];
      } else if (this.#field === "events" && byte === OPEN_BRACKET) {
        this.#section = "events";
        this.#events = [];
      }
    } else if (level === 3) {
      this.#event = {};
      this.#eventKey = undefined;
    }
    if (level > 1 && byte === OPEN_BRACE) this.#keys.open();
  }

  /** @returns false where a key of the object came twice. */
  #closed(end: number): boolean {
    const start = this.#open.pop() ?? 0;
    const isObject = this.json[start] === OPEN_BRACE;
    const level = this.#open.length;
    const isDistinct = level === 0 || !isObject || this.#keys.closeDistinct();
    if (level === 2 && this.#section === "events" && isObject) {
      const { name } = this.#event;
      const isUsable = name !== undefined && this.json[name.start] === QUOTE;
      if (isUsable && this.#events.length < this.options.maxEvents) this.#events.push(this.#event);
    }
    if (level === 1) this.#section = undefined;
    if (level > 0) this.#value(start, end);
    return isDistinct;
  }

  #text(start: number, end: number): void {
    const { longTextBytes = Number.POSITIVE_INFINITY } = this.options;
    if (end - start - 2 > longTextBytes && this.#section !== undefined) this.#longTexts.push({ start, end });
    this.#value(start, end);
  }

  /** Notes a value that has ended where it is looked for. */
  #value(start: number, end: number): void {
    const level = this.#open.length;
    if (level === 1) {
      if (this.#field !== "") this.#fields.set(this.#field, { start, end });
      // Of a key that comes twice the last value counts.
      if (this.#field === "attributes" && this.json[start] !== OPEN_BRACE) this.#attributes = [];
      if (this.#field === "events" && this.json[start] !== OPEN_BRACKET) this.#events = [];
    } else if (level === 2 && this.#section === "attributes") {
      if (this.#attribute !== undefined) this.#attributes.push({ ...this.#attribute, value: { start, end } });
    } else if (level === 3 && this.#section === "events") {
      if (this.#eventKey !== undefined) this.#event[this.#eventKey] = { start, end };
    }
  }

  #key(from: number, end: number): void {
    const level = this.#open.length;
    if (level === 1) {
      const key = end - from - 2 <= LONGEST_FIELD_BYTES ? this.#read(from, end) : "";
      this.#field = FIELDS.has(key) ? key : "";
      return;
    }
    this.#keys.add(this.json, from, end);
    if (level === 2 && this.#section === "attributes") {
      const key = end - from - 2 <= this.#longestWanted ? this.#read(from, end) : "";
      this.#attribute = this.options.wanted.has(key) ? { key, from } : undefined;
    } else if (level === 3 && this.#section === "events") {
      const key = end - from - 2 <= LONGEST_EVENT_KEY_BYTES ? this.#read(from, end) : "";
      this.#eventKey = isEventKey(key) ? key : undefined;
    }
  }

  #read(start: number, end: number): string {
    return JSON.parse(textAt(this.json, start, end)) as string;
  }
}

function textAt({ buffer, byteOffset }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, byteOffset + start, end - start).toString();
}

function isEventKey(key: string): key is EventKey {
  return EVENT_KEYS.has(key);
}

/** Bytes of the longest of some keys, however it is written. */
function longestBytes(keys: Iterable<string>): number {
  let longest = 0;
  for (const { length } of keys) longest = Math.max(longest, length);
  return longest * BYTES_PER_CHARACTER;
}

function isNumber(byte: number): boolean {
  return (byte >= DIGIT_0 && byte <= DIGIT_9) || byte === MINUS;
}

/** False for a number that is too large for one. */
function isFiniteNumber(json: Uint8Array, start: number, end: number): boolean {
  let isPlain = end - start < SHORTEST_INFINITE;
  for (let at = start; at < end && isPlain; at++) isPlain = json[at] !== UPPER_E && json[at] !== LOWER_E;
  if (isPlain) return true;
  return Number.isFinite(Number(textAt(json, start, end)));
}
