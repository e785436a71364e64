import type { Steps } from "../../runtime/steps.js";
import { isLongerThan } from "../../span/value-length.js";
import { isExempt } from "./exempt-attributes.js";
import { NO_MEANING, type KeyMeaning } from "./key-meaning.js";
import { DistinctKeys, type JsonObject } from "./map-object.js";
import { analysedAttributes, type AnalysedObject, type ValueRedactor } from "./value-redactor.js";

/** Maximum size of a piece in characters plus values. A piece takes a few milliseconds at worst. */
const PIECE_LENGTH = 8 * 1024;

/** True when a value is larger than a piece. */
export function isLongerThanPiece(value: unknown): boolean {
  return isLongerThan(value, PIECE_LENGTH);
}

/** {@link ValueRedactor.attributes}, in steps. */
export function* attributesInSteps(values: ValueRedactor, attributes: unknown): Steps<unknown> {
  if (!isLongerThanPiece(attributes)) return values.attributes(attributes);
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
    return yield* valueInSteps(values, attributes, NO_MEANING);
  const analysed = analysedAttributes(attributes as JsonObject);
  return yield* objectInSteps(analysed, (key, value) =>
    isExempt(key, value) ? keep(value) : valueInSteps(values, value, values.meaningOf(analysed, key)),
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
  const analysed = values.analyse(value as JsonObject, meaning);
  return yield* objectInSteps(
    analysed,
    (key, inside) =>
      key === analysed.binaryKey
        ? keep(values.property(analysed, key, inside))
        : valueInSteps(values, inside, values.meaningOf(analysed, key)),
    (key) => values.text(key),
  );
}

/** Redacts the elements of an array. Returns the same array when no element changes. */
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

/** Redacts the properties of an object. Returns the same object when no key and no value changes. */
function* objectInSteps(
  { object }: AnalysedObject,
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
