import { binaryContentKey, redactEncodedText } from "./binary-content.js";
import { isExempt } from "./exempt-attributes.js";
import { NO_MEANING, refineBySiblings, refineInherited, type KeyMeaning } from "./key-meaning.js";
import { mapKeys, mapValues, type JsonObject } from "./map-object.js";
import { assignedSecret } from "./patterns/assigned-secret.js";
import { cardNumber, isLongCardNumber } from "./patterns/card-number.js";
import { inheritedMeaning, nameOfPair } from "./property-meaning.js";
import { mayEndSecretName } from "./secret-names.js";
import type { TextRedactor } from "./text-redactor.js";

/**
 * Redacts the texts in JSON values, at any depth. Never mutates a value; returns the same value when nothing changes.
 */
export interface ValueRedactor {
  text(text: string): string;
  /** Redacts attributes of a span or an event, except for their names and for label attributes. */
  attributes(attributes: unknown): unknown;
  /** @param meaning - the meaning of the value's key, or of the key of its array. */
  value(value: unknown, meaning?: KeyMeaning): unknown;
  /** Analyses an object before its properties are redacted. */
  analyse(object: JsonObject, meaning: KeyMeaning): AnalysedObject;
  /** Redacts one property of an object. */
  property(analysed: AnalysedObject, key: string, value: unknown): unknown;
  /** Returns the meaning of a property's key. */
  meaningOf(analysed: AnalysedObject, key: string): KeyMeaning;
}

/** An object with the facts that redaction of its properties needs. */
export interface AnalysedObject {
  readonly object: JsonObject;
  /** Key of base64 content such as an image; undefined when there is none. */
  readonly binaryKey: string | undefined;
  /** Meaning that all properties inherit from the object's own key. */
  readonly inherited: KeyMeaning;
}

/** Options of {@link createValueRedactor}. */
export interface ValueRedactorOptions {
  readonly textRedactor: TextRedactor;
  readonly readKey: (key: string) => KeyMeaning;
  /** Called for values that were replaced because of their key. */
  readonly onRedacted: (pattern: string, matches: number) => void;
}

/** Smallest number that can be personal data. */
const MIN_NUMBER = 10_000_000;

export function createValueRedactor({
  textRedactor,
  readKey,
  onRedacted,
}: ValueRedactorOptions): ValueRedactor {
  function replaceSecret(): string {
    onRedacted(assignedSecret.name, 1);
    return assignedSecret.replacement;
  }

  function redactText(text: string, { isSecretText, label }: KeyMeaning): string {
    const isSecret =
      isSecretText !== undefined && text !== "" && text !== assignedSecret.replacement && isSecretText(text);
    return isSecret ? replaceSecret() : textRedactor.redact(text, label);
  }

  /** Redacts a number, such as a card number. The replacement is a text. */
  function redactNumber(value: number, meaning: KeyMeaning): unknown {
    if (meaning.isSecretNumber?.(value) === true) return replaceSecret();
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
    const analysed = analyse(object, meaning);
    const values = mapValues(object, (key, value) => redactProperty(analysed, key, value));
    return mapKeys(values, (key) => textRedactor.redact(key));
  }

  function analyse(object: JsonObject, meaning: KeyMeaning): AnalysedObject {
    return { object, binaryKey: binaryContentKey(object), inherited: inheritedMeaning(object, meaning) };
  }

  function redactProperty(analysed: AnalysedObject, key: string, value: unknown): unknown {
    if (key === analysed.binaryKey && typeof value === "string")
      return redactEncodedText(value, (text) => textRedactor.redact(text));
    return analysed.inherited === NO_MEANING && isHarmlessNumber(key, value)
      ? value
      : redactValue(value, meaningOf(analysed, key));
  }

  function meaningOf({ object, inherited }: AnalysedObject, key: string): KeyMeaning {
    const name = nameOfPair(object, key);
    const own = refineBySiblings(readKey(name ?? key), object);
    if (own.isSecretText !== undefined || inherited.isSecretText === undefined) return own;
    return name === undefined ? refineInherited(inherited, key) : inherited;
  }

  return {
    text: (text) => textRedactor.redact(text),
    value: (value, meaning = NO_MEANING) => redactValue(value, meaning),
    analyse,
    property: redactProperty,
    meaningOf,
    attributes(attributes) {
      if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
        return redactValue(attributes, NO_MEANING);
      const analysed = analysedAttributes(attributes as JsonObject);
      return mapValues(analysed.object, (key, value) =>
        isExempt(key, value) || isHarmlessNumber(key, value)
          ? value
          : redactValue(value, meaningOf(analysed, key)),
      );
    },
  };
}

/** Wraps the attributes of a span or an event, which inherit no meaning. */
export function analysedAttributes(object: JsonObject): AnalysedObject {
  return { object, binaryKey: undefined, inherited: NO_MEANING };
}

/** True for a small number under a key that cannot name a secret. Faster than reading the key. */
function isHarmlessNumber(key: string, value: unknown): boolean {
  if (typeof value !== "number" || value >= MIN_NUMBER) return false;
  const last = key.charCodeAt(key.length - 1);
  return !mayEndSecretName(key.charCodeAt(key.length - 2), last) && last !== LETTER_S && last !== CAPITAL_S;
}

const LETTER_S = 0x73;
const CAPITAL_S = 0x53;
