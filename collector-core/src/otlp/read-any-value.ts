import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { JsonValue } from "@obspan/sdk/wire";
import { finiteNumber, wholeNumber } from "./exact-numbers.js";
import { MessageBudget } from "./message-budget.js";
import { MAX_VALUE_DEPTH, TooDeepValue, type OtlpAttributes } from "./received-spans.js";

/** Control characters of shorter requests are not counted: six times their length is still short. */
const SHORTEST_COUNTED = 256 * 1024;

/** An empty message has two bytes and costs about a microsecond. */
const STEP_BYTES = 8 * 1024;

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

/** Reads the length of a message and returns its end. */
export function endOfMessage(reader: RequestReader): number {
  const length = reader.uint32();
  return reader.pos + length;
}

/** Reads a string, which must be valid UTF-8. */
export function readText(reader: RequestReader): string {
  return reader.text();
}

/**
 * Adds a `KeyValue` to attributes.
 *
 * @throws {@link TooDeepValue}, `TooManyMessages`.
 */
export function readKeyValue(reader: RequestReader, attributes: OtlpAttributes, depth = 1): void {
  reader.budget.takeAttributes(1);
  const read: ReadKeyValue = { key: "", value: null };
  readKeyValueFields(reader, read, endOfMessage(reader), depth);
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
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === 1) read.key = readText(reader);
    else if (field === 2) read.value = readAnyValue(reader, depth);
    else reader.skip(wireType, field);
  }
}

/**
 * Adds the `KeyValue`s of a `Resource` or a `KeyValueList`.
 *
 * @throws {@link TooDeepValue}, `TooManyMessages`.
 */
export function readKeyValues(reader: RequestReader, attributes: OtlpAttributes, depth = 1): void {
  readKeyValuesFields(reader, attributes, endOfMessage(reader), depth);
}

/** Reads fields of a `Resource` or a `KeyValueList` up to a position. */
export function readKeyValuesFields(
  reader: RequestReader,
  attributes: OtlpAttributes,
  end: number,
  depth: number,
): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === 1) readKeyValue(reader, attributes, depth);
    else reader.skip(wireType, field);
  }
}

/**
 * Reads a value as JSON. Bytes become base64. Integers beyond 2^53 and numbers without a JSON notation, such as NaN, become
 * strings.
 */
function readAnyValue(reader: RequestReader, depth: number): JsonValue {
  if (depth > MAX_VALUE_DEPTH) throw new TooDeepValue();
  return readAnyValueFields(reader, null, endOfMessage(reader), depth);
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
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    switch (field) {
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
        value = readArrayValue(reader, depth + 1);
        break;
      case 6:
        value = readKeyValueList(reader, depth + 1);
        break;
      case 7:
        value = Buffer.from(reader.bytes()).toString("base64");
        break;
      default:
        reader.skip(wireType, field);
    }
  }
  return value;
}

function readArrayValue(reader: RequestReader, depth: number): JsonValue {
  const values: JsonValue[] = [];
  reader.budget.takeContainer();
  readArrayFields(reader, values, endOfMessage(reader), depth);
  return values;
}

/** Reads fields of an `ArrayValue` up to a position. */
export function readArrayFields(
  reader: RequestReader,
  values: JsonValue[],
  end: number,
  depth: number,
): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === 1) {
      reader.budget.takeListItems(1);
      values.push(readAnyValue(reader, depth));
    } else reader.skip(wireType, field);
  }
}

function readKeyValueList(reader: RequestReader, depth: number): JsonValue {
  const values: OtlpAttributes = new Map();
  reader.budget.takeContainer();
  readKeyValues(reader, values, depth);
  // fromEntries defines properties: an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(values);
}
