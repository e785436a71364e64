import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  closingQuote,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  valueEnd,
  wordsOf,
} from "./json-bytes.js";
import type { Steps } from "../runtime/steps.js";

/** Bytes that are parsed at once: a few milliseconds where they are nothing but rare keys. */
const PARSED_BYTES = 16 * 1024;
/** Characters that are written at once, each value counted as one more. */
const WRITTEN_LENGTH = 16 * 1024;

/**
 * Does what JSON.parse does, in steps. A text is one piece, however long it is.
 *
 * @param json - UTF-8 that JSON.parse has accepted.
 * @param start - where the value begins in it.
 */
export function parseInSteps(json: Buffer, start: number): Steps<unknown> {
  return new StepParser(json, start).value();
}

class StepParser {
  readonly #words: DataView;

  constructor(
    private readonly json: Buffer,
    private at: number,
  ) {
    this.#words = wordsOf(json);
  }

  *value(): Steps<unknown> {
    const start = this.at;
    const first = this.json[start];
    const isContainer = first === OPEN_BRACKET || first === OPEN_BRACE;
    const end = isContainer ? this.#shortContainerEnd(start) : valueEnd(this.json, this.#words, start);
    if (end !== undefined) {
      this.at = end;
      return this.#parse("", start, end, "");
    }
    return yield* first === OPEN_BRACKET ? this.#array() : this.#object();
  }

  *#array(): Steps<unknown[]> {
    const items: unknown[] = [];
    this.#goTo(this.at + 1);
    while (this.json[this.at] !== CLOSE_BRACKET) {
      yield;
      const end = this.#runEnd();
      if (end === undefined) items.push(yield* this.value());
      else {
        for (const item of this.#parse("[", this.at, end, "]") as unknown[]) items.push(item);
        this.at = end;
      }
      this.#goToNext();
    }
    this.at++;
    return items;
  }

  *#object(): Steps<Record<string, unknown>> {
    const object: Record<string, unknown> = {};
    this.#goTo(this.at + 1);
    while (this.json[this.at] !== CLOSE_BRACE) {
      yield;
      const end = this.#runEnd();
      if (end === undefined) {
        const keyEnd = closingQuote(this.json, this.#words, this.at) + 1;
        const key = this.#parse("", this.at, keyEnd, "") as string;
        this.#goTo(skipSpace(this.json, keyEnd) + 1);
        setProperty(object, key, yield* this.value());
      } else {
        const members = this.#parse("{", this.at, end, "}") as Record<string, unknown>;
        for (const key in members) setProperty(object, key, members[key]);
        this.at = end;
      }
      this.#goToNext();
    }
    this.at++;
    return object;
  }

  #goTo(at: number): void {
    this.at = skipSpace(this.json, at);
  }

  /** To the next element, or the bracket that closes. */
  #goToNext(): void {
    this.#goTo(this.at);
    if (this.json[this.at] === COMMA) this.#goTo(this.at + 1);
  }

  #parse(before: string, start: number, end: number, behind: string): unknown {
    return JSON.parse(`${before}${this.json.toString("utf8", start, end)}${behind}`);
  }

  /** Behind the container; undefined where it is more than a piece. */
  #shortContainerEnd(from: number): number | undefined {
    const { json } = this;
    const limit = from + PARSED_BYTES;
    let depth = 0;
    for (let at = from; at < limit; at++) {
      const byte = json[at];
      if (byte === QUOTE) at = closingQuote(json, this.#words, at);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1;
    }
    return undefined;
  }

  /** Behind the last of the elements or members from here on that fit in a piece; undefined where the first does not. */
  #runEnd(): number | undefined {
    const { json } = this;
    const limit = this.at + PARSED_BYTES;
    let depth = 0;
    let end: number | undefined;
    for (let at = this.at; at < limit; at++) {
      const byte = json[at];
      if (byte === QUOTE) at = closingQuote(json, this.#words, at);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === COMMA && depth === 0) end = at;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth < 0) return at;
    }
    return end;
  }
}

/** Assignment would take a key `__proto__` for the prototype. */
function setProperty(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Does what JSON.stringify does, in steps. A text is one piece, however long it is.
 *
 * @param value - as JSON.parse makes it.
 * @param write - takes the JSON piece by piece.
 */
export function* writeInSteps(value: unknown, write: (piece: string) => void): Steps<void> {
  if (fitsInPiece(value)) {
    write(JSON.stringify(value));
    return;
  }
  if (Array.isArray(value)) {
    let before = "[";
    for (const item of value as unknown[]) {
      yield;
      yield* writeElement(before, item, write);
      before = ",";
    }
    write("]");
    return;
  }
  const object = value as Record<string, unknown>;
  let before = "{";
  for (const key in object) {
    yield;
    yield* writeElement(`${before}${JSON.stringify(key)}:`, object[key], write);
    before = ",";
  }
  write("}");
}

function writeElement(start: string, item: unknown, write: (piece: string) => void): Steps<void> | [] {
  if (!fitsInPiece(item)) {
    write(start);
    return writeInSteps(item, write);
  }
  write(`${start}${JSON.stringify(item)}`);
  return NOTHING_LEFT;
}

const NOTHING_LEFT: [] = [];

/** True for what is written at once. Takes no longer for a larger value. */
function fitsInPiece(value: unknown): boolean {
  return typeof value !== "object" || value === null || lengthLeft(value, WRITTEN_LENGTH) >= 0;
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
    left = lengthLeft((value as Record<string, unknown>)[key], left - key.length);
    if (left < 0) break;
  }
  return left;
}

/** The JSON of a value as JSON.parse makes it, in UTF-8. */
export function* bytesInSteps(value: unknown): Steps<Buffer> {
  const chunks: Buffer[] = [];
  let texts: string[] = [];
  let length = 0;
  const flush = (): void => {
    chunks.push(Buffer.from(texts.join("")));
    texts = [];
    length = 0;
  };
  yield* writeInSteps(value, (piece) => {
    texts.push(piece);
    length += piece.length;
    if (length >= WRITTEN_LENGTH) flush();
  });
  flush();
  return Buffer.concat(chunks);
}
