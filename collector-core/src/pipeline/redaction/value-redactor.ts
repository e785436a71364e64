import { binaryContentKey, redactEncodedText } from "./binary-content.js";
import { isExempt } from "./exempt-attributes.js";
import { meaningBeneath, meaningBeside, NO_MEANING, type KeyMeaning } from "./key-meaning.js";
import { mapKeys, mapValues, type JsonObject } from "./map-object.js";
import { assignedSecret } from "./patterns/assigned-secret.js";
import { cardNumber, isLongCardNumber } from "./patterns/card-number.js";
import { namedByItself, passedOnBy } from "./property-meaning.js";
import { mayEndSecretName } from "./secret-names.js";
import type { TextRedactor } from "./text-redactor.js";

/**
 * Redacts the texts in JSON values, at any depth. A value in which nothing changes is returned as it is; nothing is
 * changed in place.
 */
export interface ValueRedactor {
  text(text: string): string;
  /** Attributes of a span or an event. Their names stay, and so do those that are labels. */
  attributes(attributes: unknown): unknown;
  /** @param meaning - of the key of the value, or of the array that it is in. */
  value(value: unknown, meaning?: KeyMeaning): unknown;
  /** What an object says about its values. */
  open(object: JsonObject, meaning: KeyMeaning): OpenObject;
  /** A value of an object. */
  property(opened: OpenObject, key: string, value: unknown): unknown;
  /** What the key of a value says about it. */
  meaningOf(opened: OpenObject, key: string): KeyMeaning;
}

/** An object whose values are redacted. */
export interface OpenObject {
  readonly object: JsonObject;
  /** Where the bytes of an image and the like stand. */
  readonly binaryKey: string | undefined;
  /** What the object's own key says of everything in it. */
  readonly passedOn: KeyMeaning;
}

/** What {@link createValueRedactor} needs. */
export interface ValueRedactorOptions {
  readonly textRedactor: TextRedactor;
  readonly readKey: (key: string) => KeyMeaning;
  /** Told of the texts that were replaced because of their key. */
  readonly onRedacted: (pattern: string, matches: number) => void;
}

/** The least number that could be somebody's. */
const MIN_NUMBER = 10_000_000;

export function createValueRedactor({
  textRedactor,
  readKey,
  onRedacted,
}: ValueRedactorOptions): ValueRedactor {
  function hide(): string {
    onRedacted(assignedSecret.name, 1);
    return assignedSecret.replacement;
  }

  function redactText(text: string, { isSecretText, label }: KeyMeaning): string {
    const isSecret =
      isSecretText !== undefined && text !== "" && text !== assignedSecret.replacement && isSecretText(text);
    return isSecret ? hide() : textRedactor.redact(text, label);
  }

  /** A card number may come as a number. What takes its place is a text. */
  function redactNumber(value: number, meaning: KeyMeaning): unknown {
    if (meaning.isSecretNumber?.(value) === true) return hide();
    if (value < MIN_NUMBER) return value;
    if (!Number.isSafeInteger(value)) {
      if (!meaning.isCard || !isLongCardNumber(value)) return value;
      onRedacted(cardNumber.name, 1);
      return cardNumber.replacement;
    }
    const text = String(value);
    const redacted = textRedactor.redact(text, meaning.label);
    return redacted === text ? value : redacted;
  }

  function redactValue(value: unknown, meaning: KeyMeaning): unknown {
    if (typeof value === "string") return redactText(value, meaning);
    if (typeof value === "number") return redactNumber(value, meaning);
    if (typeof value !== "object" || value === null) return value;
    return Array.isArray(value) ? redactArray(value, meaning) : redactObject(value as JsonObject, meaning);
  }

  function redactArray(array: readonly unknown[], meaning: KeyMeaning): readonly unknown[] {
    const { elements = meaning } = meaning;
    let changed: unknown[] | undefined;
    array.forEach((element, index) => {
      const redacted = redactValue(element, elements);
      if (redacted === element) return;
      changed ??= [...array];
      changed[index] = redacted;
    });
    return changed ?? array;
  }

  function redactObject(object: JsonObject, meaning: KeyMeaning): JsonObject {
    const opened = open(object, meaning);
    const values = mapValues(object, (key, value) => redactProperty(opened, key, value));
    return mapKeys(values, (key) => textRedactor.redact(key));
  }

  function open(object: JsonObject, meaning: KeyMeaning): OpenObject {
    return { object, binaryKey: binaryContentKey(object), passedOn: passedOnBy(object, meaning) };
  }

  function redactProperty(opened: OpenObject, key: string, value: unknown): unknown {
    if (key === opened.binaryKey && typeof value === "string")
      return redactEncodedText(value, (text) => textRedactor.redact(text));
    return opened.passedOn === NO_MEANING && isPlainNumber(key, value)
      ? value
      : redactValue(value, meaningOf(opened, key));
  }

  function meaningOf({ object, passedOn }: OpenObject, key: string): KeyMeaning {
    const name = namedByItself(object, key);
    const own = meaningBeside(readKey(name ?? key), object);
    if (own.isSecretText !== undefined || passedOn.isSecretText === undefined) return own;
    return name === undefined ? meaningBeneath(passedOn, key) : passedOn;
  }

  return {
    text: (text) => textRedactor.redact(text),
    value: (value, meaning = NO_MEANING) => redactValue(value, meaning),
    open,
    property: redactProperty,
    meaningOf,
    attributes(attributes) {
      if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
        return redactValue(attributes, NO_MEANING);
      const opened = openAttributes(attributes as JsonObject);
      return mapValues(opened.object, (key, value) =>
        isExempt(key, value) || isPlainNumber(key, value)
          ? value
          : redactValue(value, meaningOf(opened, key)),
      );
    },
  };
}

/** Attributes of a span or an event: nothing stands above them. */
export function openAttributes(object: JsonObject): OpenObject {
  return { object, binaryKey: undefined, passedOn: NO_MEANING };
}

/** True for a number that is nobody's, under a key that is no name of a secret: said sooner than by reading the key. */
function isPlainNumber(key: string, value: unknown): boolean {
  if (typeof value !== "number" || value >= MIN_NUMBER) return false;
  const last = key.charCodeAt(key.length - 1);
  return !mayEndSecretName(key.charCodeAt(key.length - 2), last) && last !== LETTER_S && last !== CAPITAL_S;
}

const LETTER_S = 0x73;
const CAPITAL_S = 0x53;
