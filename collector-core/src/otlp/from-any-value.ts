import type { JsonValue } from "@obspan/sdk/wire";
import type { AnyValue, KeyValue } from "./proto/opentelemetry/proto/common/v1/common_pb.js";
import { MAX_VALUE_DEPTH, TooDeepValue, type OtlpAttributes } from "./received-spans.js";

/** Attributes of a message in protobuf. */
export function readKeyValues(keyValues: readonly KeyValue[]): OtlpAttributes {
  const attributes: OtlpAttributes = new Map();
  for (const { key, value } of keyValues) attributes.set(key, fromAnyValue(value));
  return attributes;
}

/**
 * The value that JSON would have. Bytes become base64, whole numbers beyond 2^53 and numbers that JSON does not know
 * (NaN) their text.
 *
 * @throws {@link TooDeepValue}.
 */
export function fromAnyValue(any: AnyValue | undefined, depth = 1): JsonValue {
  if (any === undefined) return null;
  if (depth > MAX_VALUE_DEPTH) throw new TooDeepValue();
  const { value } = any;
  switch (value.case) {
    case "stringValue":
    case "boolValue":
      return value.value;
    case "intValue":
      return wholeNumber(value.value);
    case "doubleValue":
      return finiteNumber(value.value);
    case "bytesValue":
      return Buffer.from(value.value).toString("base64");
    case "arrayValue":
      return value.value.values.map((item) => fromAnyValue(item, depth + 1));
    case "kvlistValue":
      // fromEntries defines properties, where assignment would take a key `__proto__` for the prototype.
      return Object.fromEntries(
        value.value.values.map(({ key, value: item }) => [key, fromAnyValue(item, depth + 1)]),
      );
    case undefined:
      return null;
  }
}

/** A number where it is exact, else its digits. */
export function wholeNumber(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** A number, or the name of what is none. */
export function finiteNumber(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
