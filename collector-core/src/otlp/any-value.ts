import { create } from "@bufbuild/protobuf";
import { isWellFormed } from "../span/well-formed.js";
import {
  AnyValueSchema,
  ArrayValueSchema,
  KeyValueSchema,
  type AnyValue,
  type KeyValue,
} from "./proto/opentelemetry/proto/common/v1/common_pb.js";

/** Items that the lists of one span may still have as lists of OTLP. */
export interface ListRoom {
  items: number;
}

/**
 * Items of all lists of a span at most: each becomes a message of some hundred bytes, where JSON has two. Beyond it a list
 * is written as JSON.
 */
const MAX_LIST_ITEMS = 10_000;

/** The room of one span: its attributes and events share it. */
export function listRoom(): ListRoom {
  return { items: MAX_LIST_ITEMS };
}

/**
 * A value that every receiver of OTLP takes for an attribute: text, boolean, number, or a list of one kind of them.
 *
 * @param room - the items of a list are taken from it.
 * @returns undefined where it is something else, or a list that has more items than there is room for.
 */
export function toAnyValue(value: unknown, room: ListRoom): AnyValue | undefined {
  const plain = plainValue(value);
  if (plain !== undefined) return plain;
  if (!Array.isArray(value) || value.length === 0 || value.length > room.items) return undefined;
  const kind = kindOf(value[0]);
  const values: AnyValue[] = [];
  for (const item of value as unknown[]) {
    const converted = kindOf(item) === kind ? plainValue(item) : undefined;
    if (converted === undefined) return undefined;
    values.push(converted);
  }
  room.items -= values.length;
  return listOf(values);
}

/** A list of texts, however many: for names that a reader must find as a list. */
export function textList(texts: readonly string[]): AnyValue {
  return listOf(texts.map(textValue));
}

function listOf(values: AnyValue[]): AnyValue {
  return create(AnyValueSchema, {
    value: { case: "arrayValue", value: create(ArrayValueSchema, { values }) },
  });
}

function plainValue(value: unknown): AnyValue | undefined {
  if (typeof value === "string") {
    return isWellFormed(value) ? textValue(value) : undefined;
  }
  if (typeof value === "boolean") return create(AnyValueSchema, { value: { case: "boolValue", value } });
  if (typeof value !== "number") return undefined;
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) {
    return create(AnyValueSchema, { value: { case: "intValue", value: BigInt(value) } });
  }
  return create(AnyValueSchema, { value: { case: "doubleValue", value } });
}

/** Whole numbers and others are two kinds to OTLP. */
function kindOf(value: unknown): string {
  return typeof value === "number" && Number.isSafeInteger(value) ? "integer" : typeof value;
}

export function textValue(value: string): AnyValue {
  return create(AnyValueSchema, { value: { case: "stringValue", value } });
}

export function keyValue(key: string, value: AnyValue): KeyValue {
  return create(KeyValueSchema, { key, value });
}
