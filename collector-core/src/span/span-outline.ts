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

/** A byte range in JSON. */
export interface JsonRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The byte range of a wanted attribute. */
export interface AttributeRange {
  readonly key: string;
  /** Start of its key. */
  readonly from: number;
  readonly value: JsonRange;
}

/** The byte ranges of an event. An event requires a name. */
export type EventOutline = Partial<Record<EventKey, JsonRange>>;
type EventKey = "name" | "time" | "attributes";

/** The byte ranges of the parts of a span. */
export interface SpanOutline {
  /** Values of top-level keys. The last value wins for a duplicate key. */
  readonly fields: ReadonlyMap<string, JsonRange>;
  /** The wanted attributes. */
  readonly attributes: readonly AttributeRange[];
  /** The first valid events. */
  readonly events: readonly EventOutline[];
  /** Long strings in attributes and events, in byte order. */
  readonly longTexts: readonly JsonRange[];
}

/** Options of {@link outlineSpan}. */
export interface OutlineOptions {
  readonly maxEvents: number;
  /** Keys of the wanted attributes. */
  readonly wanted: ReadonlySet<string>;
  /** A string with more bytes is long. Default: no string is long. */
  readonly longTextBytes?: number;
  /** The JSON was written by JSON.stringify: skips the checks for duplicate keys and large numbers. */
  readonly isCanonical?: boolean;
}

/** Bytes per step, about a millisecond of work. */
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
  "computed_cost_usd",
]);
const EVENT_KEYS: ReadonlySet<string> = new Set<EventKey>(["name", "time", "attributes"]);
/** Bytes of a character written as `\u0061`. */
const BYTES_PER_CHARACTER = 6;
const LONGEST_FIELD_BYTES = longestBytes(FIELDS);
const LONGEST_EVENT_KEY_BYTES = longestBytes(EVENT_KEYS);
/** A number without exponent and with fewer characters is finite. */
const SHORTEST_INFINITE = 300;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/**
 * Finds the parts of a span in its bytes without parsing them.
 *
 * @param json - UTF-8 JSON that JSON.parse has accepted.
 * @returns undefined if copying the bytes of a part differs from JSON.parse followed by JSON.stringify: an object has a
 * duplicate key, or a number is too large.
 */
export function outlineSpan(
  json: Uint8Array,
  span: JsonRange,
  options: OutlineOptions,
): Steps<SpanOutline | undefined> {
  return new SpanScanner(json, options).scan(span);
}

class SpanScanner {
  readonly #json: Uint8Array;
  readonly #options: OutlineOptions;
  readonly #words: DataView;
  readonly #longestWanted: number;
  readonly #fields = new Map<string, JsonRange>();
  #attributes: AttributeRange[] = [];
  #events: EventOutline[] = [];
  readonly #longTexts: JsonRange[] = [];
  readonly #keys = new KeySets();
  /** Start positions of the open containers, the span first. */
  readonly #open: number[] = [];
  /** The last top-level key if it is one of {@link FIELDS}, otherwise empty. */
  #field = "";
  /** The field that the scan is inside of. */
  #section: "attributes" | "events" | undefined;
  /** The last key in attributes, if it is wanted. */
  #attribute: { readonly key: string; readonly from: number } | undefined;
  #event: EventOutline = {};
  #eventKey: EventKey | undefined;

  constructor(json: Uint8Array, options: OutlineOptions) {
    this.#json = json;
    this.#options = options;
    this.#words = wordsOf(json);
    this.#longestWanted = longestBytes(options.wanted);
  }

  *scan({ start, end }: JsonRange): Steps<SpanOutline | undefined> {
    const json = this.#json;
    const { isCanonical = false } = this.#options;
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

  /** @returns false if the object has a duplicate key. */
  #closed(end: number): boolean {
    const start = this.#open.pop() ?? 0;
    const isObject = this.#json[start] === OPEN_BRACE;
    const level = this.#open.length;
    const isDistinct = level === 0 || !isObject || this.#keys.closeDistinct();
    if (level === 2 && this.#section === "events" && isObject) {
      const { name } = this.#event;
      const isUsable = name !== undefined && this.#json[name.start] === QUOTE;
      if (isUsable && this.#events.length < this.#options.maxEvents) this.#events.push(this.#event);
    }
    if (level === 1) this.#section = undefined;
    if (level > 0) this.#value(start, end);
    return isDistinct;
  }

  #text(start: number, end: number): void {
    const { longTextBytes = Number.POSITIVE_INFINITY } = this.#options;
    if (end - start - 2 > longTextBytes && this.#section !== undefined) this.#longTexts.push({ start, end });
    this.#value(start, end);
  }

  /** Records the range of a value if it is wanted. */
  #value(start: number, end: number): void {
    const level = this.#open.length;
    if (level === 1) {
      if (this.#field !== "") this.#fields.set(this.#field, { start, end });
      // The last value of a duplicate key wins.
      if (this.#field === "attributes" && this.#json[start] !== OPEN_BRACE) this.#attributes = [];
      if (this.#field === "events" && this.#json[start] !== OPEN_BRACKET) this.#events = [];
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
    this.#keys.add(this.#json, from, end);
    if (level === 2 && this.#section === "attributes") {
      const key = end - from - 2 <= this.#longestWanted ? this.#read(from, end) : "";
      this.#attribute = this.#options.wanted.has(key) ? { key, from } : undefined;
    } else if (level === 3 && this.#section === "events") {
      const key = end - from - 2 <= LONGEST_EVENT_KEY_BYTES ? this.#read(from, end) : "";
      this.#eventKey = isEventKey(key) ? key : undefined;
    }
  }

  #read(start: number, end: number): string {
    return JSON.parse(textAt(this.#json, start, end)) as string;
  }
}

function textAt({ buffer, byteOffset }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, byteOffset + start, end - start).toString();
}

function isEventKey(key: string): key is EventKey {
  return EVENT_KEYS.has(key);
}

/** Upper limit of the bytes of the longest key, including escapes. */
function longestBytes(keys: Iterable<string>): number {
  let longest = 0;
  for (const { length } of keys) longest = Math.max(longest, length);
  return longest * BYTES_PER_CHARACTER;
}

function isNumber(byte: number): boolean {
  return (byte >= DIGIT_0 && byte <= DIGIT_9) || byte === MINUS;
}

/** False for a number that overflows to infinity. */
function isFiniteNumber(json: Uint8Array, start: number, end: number): boolean {
  let isPlain = end - start < SHORTEST_INFINITE;
  for (let at = start; at < end && isPlain; at++) isPlain = json[at] !== UPPER_E && json[at] !== LOWER_E;
  if (isPlain) return true;
  return Number.isFinite(Number(textAt(json, start, end)));
}
