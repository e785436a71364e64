import { create } from "@bufbuild/protobuf";
import { isWellFormed } from "../span/well-formed.js";
import {
  AnyValueSchema,
  ArrayValueSchema,
  KeyValueSchema,
  type AnyValue,
  type KeyValue,
} from "./proto/opentelemetry/proto/common/v1/common_pb.js";

/** A value that every receiver of OTLP takes for an attribute: text, boolean, number, or a list of one kind of them. */
export function toAnyValue(value: unknown): AnyValue | undefined {
  const plain = plainValue(value);
  if (plain !== undefined) return plain;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const kind = kindOf(value[0]);
  const values: AnyValue[] = [];
  for (const item of value as unknown[]) {
    const converted = kindOf(item) === kind ? plainValue(item) : undefined;
    if (converted === undefined) return undefined;
    values.push(converted);
  }
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
