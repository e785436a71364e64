import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { JsonValue } from "@obspan/sdk/wire";
import { finiteNumber, wholeNumber } from "./exact-numbers.js";
import { MessageBudget } from "./message-budget.js";
import { MAX_VALUE_DEPTH, TooDeepValue, type OtlpAttributes } from "./received-spans.js";

/** Control characters of shorter requests are not counted: six times their length is still short. */
const SHORTEST_COUNTED = 256 * 1024;

/** An empty message has two bytes and costs about a microsecond. */
const STEP_BYTES = 8 * 1024;

/** Wire types of protobuf: how the bytes of a field are delimited. */
export const WIRE = { varint: 0, bits64: 1, length: 2, bits32: 5 } as const;
type WireType = (typeof WIRE)[keyof typeof WIRE];
/** The wire types of the known fields of a message, by their numbers. */
type KnownFields = readonly (WireType | undefined)[];

/** Lists the known fields of a message. */
export function knownFields(types: Readonly<Record<number, WireType>>): KnownFields {
  const known: (WireType | undefined)[] = [];
  for (const field in types) {
    while (known.length < Number(field)) known.push(undefined);
    known.push(types[field]);
  }
  return known;
}

/** Longest tag. */
const MAX_TAG_BYTES = 5;

/** A protobuf reader that counts the parts of the request. */
export class RequestReader extends BinaryReader {
  readonly budget = new MessageBudget();

  readonly #bytes: Uint8Array;

  /** @param stepBytes - bytes of fields that are read in one step, if the request is read in steps. */
  constructor(
    bytes: Uint8Array,
    readonly stepBytes = STEP_BYTES,
  ) {
    super(bytes);
    this.#bytes = bytes;
  }

  /**
   * Reads up to the value of the next known field, and skips other fields. A field of another wire type than its own is
   * another field: what {@link skipValue} takes for a number is never read as a message.
   *
   * @returns the number of the field; 0 at the end of the message.
   * @throws `Error` if a field is longer than its message.
   */
  next(known: KnownFields, end: number): number {
    while (this.pos < end) {
      const tag = this.readTag();
      const field = tag >>> 3;
      if (known[field] === (tag & 7)) return field;
      this.skipValue(tag, end);
    }
    if (this.pos > end) throw new Error("A field is longer than its message.");
    return 0;
  }

  /** Reads a field number and a wire type: `tag >>> 3` and `tag & 7`. */
  readTag(): number {
    const start = this.pos;
    const tag = this.uint32();
    if (tag < 8 || this.pos - start > MAX_TAG_BYTES) throw new Error("A tag is invalid.");
    return tag;
  }

  /**
   * Skips the value of a field.
   *
   * @param end - of the message.
   * @throws `Error` for a group: OTLP has none, and only its end tells how long it is.
   */
  skipValue(tag: number, end: number): void {
    switch (tag & 7) {
      case WIRE.varint:
        while (((this.#bytes[this.pos++] ?? 0) & 0x80) !== 0);
        break;
      case WIRE.bits64:
        this.pos += 8;
        break;
      case WIRE.bits32:
        this.pos += 4;
        break;
      case WIRE.length: {
        const length = this.uint32();
        this.pos += length;
        break;
      }
      default:
        throw new Error("The wire type of a field is unknown, or that of a group.");
    }
    if (this.pos > end) throw new Error("A field is longer than its message.");
  }

  /** Reads the length of a message. @returns its end. @throws `Error` if it is longer than the message around it. */
  endOfMessage(end: number): number {
    const length = this.uint32();
    const to = this.pos + length;
    if (to > end) throw new Error("A message is longer than the one around it.");
    return to;
  }

  /** Reads a string, which must be valid UTF-8. @throws `TooManyMessages`. */
  text(): string {
    if (this.len < SHORTEST_COUNTED) return this.string(true);
    const from = this.pos;
    const text = this.string(true);
    this.budget.takeControlCharacters(controlCharacters(this.#bytes, from, this.pos));
    return text;
  }
}

/** Counts the characters that JSON writes as six, such as \u0001. The length prefix may count as one. */
function controlCharacters(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    // Backspace, tab, line feed, form feed and carriage return (8, 9, 10, 12, 13) have short escapes.
    if (byte < 0x20 && (byte < 8 || byte > 13 || byte === 11)) count++;
  }
  return count;
}

/** Reads a string, which must be valid UTF-8. */
export function readText(reader: RequestReader): string {
  return reader.text();
}

const KEY_VALUE = knownFields({ 1: WIRE.length, 2: WIRE.length });
/** A `Resource`, a `KeyValueList` or an `ArrayValue`. */
const LIST = knownFields({ 1: WIRE.length });
const ANY_VALUE = knownFields({
  1: WIRE.length,
  2: WIRE.varint,
  3: WIRE.varint,
  4: WIRE.bits64,
  5: WIRE.length,
  6: WIRE.length,
  7: WIRE.length,
});

/**
 * Adds a `KeyValue` to attributes.
 *
 * @param end - of the message around it.
 * @throws {@link TooDeepValue}, `TooManyMessages`.
 */
export function readKeyValue(
  reader: RequestReader,
  attributes: OtlpAttributes,
  end: number,
  depth = 1,
): void {
  reader.budget.takeAttributes(1);
  const read: ReadKeyValue = { key: "", value: null };
  readKeyValueFields(reader, read, reader.endOfMessage(end), depth);
  attributes.set(read.key, read.value);
}

/** A `KeyValue` while it is read. */
export interface ReadKeyValue {
  key: string;
  value: JsonValue;
}

/** Reads fields of a `KeyValue` up to a position. */
export function readKeyValueFields(
  reader: RequestReader,
  read: ReadKeyValue,
  end: number,
  depth: number,
): void {
  for (;;) {
    switch (reader.next(KEY_VALUE, end)) {
      case 1:
        read.key = readText(reader);
        break;
      case 2:
        read.value = readAnyValue(reader, end, depth);
        break;
      default:
        return;
    }
  }
}

/** Reads fields of a `Resource` or a `KeyValueList` up to a position. @throws {@link TooDeepValue}, `TooManyMessages`. */
export function readKeyValuesFields(
  reader: RequestReader,
  attributes: OtlpAttributes,
  end: number,
  depth = 1,
): void {
  while (reader.next(LIST, end) !== 0) readKeyValue(reader, attributes, end, depth);
}

/**
 * Reads a value as JSON. Bytes become base64. Integers beyond 2^53 and numbers without a JSON notation, such as NaN, become
 * strings.
 */
function readAnyValue(reader: RequestReader, end: number, depth: number): JsonValue {
  if (depth > MAX_VALUE_DEPTH) throw new TooDeepValue();
  return readAnyValueFields(reader, null, reader.endOfMessage(end), depth);
}

/**
 * Reads fields of an `AnyValue` up to a position.
 *
 * @param value - the value of the fields before.
 */
export function readAnyValueFields(
  reader: RequestReader,
  value: JsonValue,
  end: number,
  depth: number,
): JsonValue {
  for (;;) {
    switch (reader.next(ANY_VALUE, end)) {
      case 1:
        value = readText(reader);
        break;
      case 2:
        value = reader.bool();
        break;
      case 3:
        value = wholeNumber(BigInt(reader.int64()));
        break;
      case 4:
        value = finiteNumber(reader.double());
        break;
      case 5:
        value = readArrayValue(reader, end, depth + 1);
        break;
      case 6:
        value = readKeyValueList(reader, end, depth + 1);
        break;
      case 7:
        value = Buffer.from(reader.bytes()).toString("base64");
        break;
      default:
        return value;
    }
  }
}

function readArrayValue(reader: RequestReader, end: number, depth: number): JsonValue {
  const values: JsonValue[] = [];
  reader.budget.takeContainer();
  readArrayFields(reader, values, reader.endOfMessage(end), depth);
  return values;
}

/** Reads fields of an `ArrayValue` up to a position. */
export function readArrayFields(
  reader: RequestReader,
  values: JsonValue[],
  end: number,
  depth: number,
): void {
  while (reader.next(LIST, end) !== 0) {
    reader.budget.takeListItems(1);
    values.push(readAnyValue(reader, end, depth));
  }
}

function readKeyValueList(reader: RequestReader, end: number, depth: number): JsonValue {
  const values: OtlpAttributes = new Map();
  reader.budget.takeContainer();
  readKeyValuesFields(reader, values, reader.endOfMessage(end), depth);
  // fromEntries defines properties: an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(values);
}
