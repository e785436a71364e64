import { isExempt } from "./exempt-attributes.js";
import { NO_MEANING, type KeyMeaning } from "./key-meaning.js";
import { DistinctKeys, type JsonObject } from "./map-object.js";
import { openAttributes, type OpenObject, type ValueRedactor } from "./value-redactor.js";

/**
 * Redacts a large value piece by piece. Whoever runs it decides after each piece whether others have their turn first; a
 * span may have megabytes.
 */
export type Steps<Result> = Generator<undefined, Result>;

/** Characters of a piece, each value counted as one more: some milliseconds of work at worst. */
const PIECE_LENGTH = 8 * 1024;

/** True where a value is more than a piece. Takes no longer for a larger one. */
export function isLongerThanPiece(value: unknown): boolean {
  return lengthLeft(value, PIECE_LENGTH) < 0;
}

/** What is left of a length when a value is taken from it; below 0 where it is longer. */
function lengthLeft(value: unknown, length: number): number {
  if (typeof value === "string") return length - 1 - value.length;
  let left = length - 1;
  if (typeof value !== "object" || value === null) return left;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = lengthLeft(value[index], left);
    return left;
  }
  for (const key in value) {
    left = lengthLeft((value as JsonObject)[key], left - key.length);
    if (left < 0) break;
  }
  return left;
}

/** {@link ValueRedactor.attributes}, in steps. */
export function* attributesInSteps(values: ValueRedactor, attributes: unknown): Steps<unknown> {
  if (!isLongerThanPiece(attributes)) return values.attributes(attributes);
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
    return yield* valueInSteps(values, attributes, NO_MEANING);
  const opened = openAttributes(attributes as JsonObject);
  return yield* objectInSteps(opened, (key, value) =>
    isExempt(key, value) ? keep(value) : valueInSteps(values, value, values.meaningOf(opened, key)),
  );
}

/** {@link ValueRedactor.value}, in steps. */
export function* valueInSteps(values: ValueRedactor, value: unknown, meaning: KeyMeaning): Steps<unknown> {
  yield;
  if (typeof value === "string" || !isLongerThanPiece(value)) return values.value(value, meaning);
  if (Array.isArray(value))
    return yield* arrayInSteps(value, (element) =>
      valueInSteps(values, element, meaning.elements ?? meaning),
    );
  const opened = values.open(value as JsonObject, meaning);
  return yield* objectInSteps(
    opened,
    (key, inside) =>
      key === opened.binaryKey
        ? keep(values.property(opened, key, inside))
        : valueInSteps(values, inside, values.meaningOf(opened, key)),
    (key) => values.text(key),
  );
}

/** The same array where no element changes. */
export function* arrayInSteps(
  array: readonly unknown[],
  redact: (element: unknown) => Steps<unknown>,
): Steps<readonly unknown[]> {
  let changed: unknown[] | undefined;
  for (let index = 0; index < array.length; index++) {
    const element = array[index];
    const redacted = yield* redact(element);
    if (redacted === element) continue;
    changed ??= [...array];
    changed[index] = redacted;
  }
  return changed ?? array;
}

/** The same object where neither a key nor a value changes. */
function* objectInSteps(
  { object }: OpenObject,
  redact: (key: string, value: unknown) => Steps<unknown>,
  redactKey: (key: string) => string = (key) => key,
): Steps<JsonObject> {
  const copy = new DistinctKeys();
  let isSame = true;
  for (const key in object) {
    const value = object[key];
    const redacted = yield* redact(key, value);
    const redactedKey = redactKey(key);
    isSame &&= redacted === value && redactedKey === key;
    copy.add(redactedKey, redacted);
  }
  return isSame ? object : copy.toObject();
}

function* keep(value: unknown): Steps<unknown> {
  return value;
}
