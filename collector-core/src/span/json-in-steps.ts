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
import { setProperty } from "./set-property.js";
import { isLongerThan } from "./value-length.js";

/** Bytes per parsing step: a few milliseconds in the worst case, rare keys only. */
const PARSED_BYTES = 16 * 1024;
/** Characters per writing step, plus one per value. */
const WRITTEN_LENGTH = 16 * 1024;
/** Cost of a piece besides its characters. */
const PIECE_COST = 20;

/**
 * Like JSON.parse, in steps. A string is one step, however long it is.
 *
 * @param json - UTF-8 that JSON.parse has accepted.
 * @param start - start of the value.
 */
export function parseInSteps(json: Buffer, start: number): Steps<unknown> {
  return new StepParser(json, start).value();
}

class StepParser {
  readonly #json: Buffer;
  readonly #words: DataView;
  #at: number;

  constructor(json: Buffer, at: number) {
    this.#json = json;
    this.#at = at;
    this.#words = wordsOf(json);
  }

  *value(): Steps<unknown> {
    const start = this.#at;
    const first = this.#json[start];
    const isContainer = first === OPEN_BRACKET || first === OPEN_BRACE;
    const end = isContainer ? this.#shortContainerEnd(start) : valueEnd(this.#json, this.#words, start);
    if (end !== undefined) {
      this.#at = end;
      return this.#parse("", start, end, "");
    }
    return yield* first === OPEN_BRACKET ? this.#array() : this.#object();
  }

  *#array(): Steps<unknown[]> {
    const items: unknown[] = [];
    this.#goTo(this.#at + 1);
    while (this.#json[this.#at] !== CLOSE_BRACKET) {
      yield;
      const end = this.#runEnd();
      if (end === undefined) items.push(yield* this.value());
      else {
        for (const item of this.#parse("[", this.#at, end, "]") as unknown[]) items.push(item);
        this.#at = end;
      }
      this.#goToNext();
    }
    this.#at++;
    return items;
  }

  *#object(): Steps<Record<string, unknown>> {
    const object: Record<string, unknown> = {};
    this.#goTo(this.#at + 1);
    while (this.#json[this.#at] !== CLOSE_BRACE) {
      yield;
      const end = this.#runEnd();
      if (end === undefined) {
        const keyEnd = closingQuote(this.#json, this.#words, this.#at) + 1;
        const key = this.#parse("", this.#at, keyEnd, "") as string;
        this.#goTo(skipSpace(this.#json, keyEnd) + 1);
        setProperty(object, key, yield* this.value());
      } else {
        const members = this.#parse("{", this.#at, end, "}") as Record<string, unknown>;
        for (const key in members) setProperty(object, key, members[key]);
        this.#at = end;
      }
      this.#goToNext();
    }
    this.#at++;
    return object;
  }

  #goTo(at: number): void {
    this.#at = skipSpace(this.#json, at);
  }

  /** Moves to the next element or the closing bracket. */
  #goToNext(): void {
    this.#goTo(this.#at);
    if (this.#json[this.#at] === COMMA) this.#goTo(this.#at + 1);
  }

  #parse(before: string, start: number, end: number, behind: string): unknown {
    return JSON.parse(`${before}${this.#json.toString("utf8", start, end)}${behind}`);
  }

  /** End of the container; undefined if it is longer than a step. */
  #shortContainerEnd(from: number): number | undefined {
    const json = this.#json;
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

  /** End of the elements or members that fit in a step from here; undefined if the first does not fit. */
  #runEnd(): number | undefined {
    const json = this.#json;
    const limit = this.#at + PARSED_BYTES;
    let depth = 0;
    let end: number | undefined;
    for (let at = this.#at; at < limit; at++) {
      const byte = json[at];
      if (byte === QUOTE) at = closingQuote(json, this.#words, at);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === COMMA && depth === 0) end = at;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth < 0) return at;
    }
    return end;
  }
}

/**
 * Like JSON.stringify, in steps of about 16 Ki characters. A string is one step, however long it is.
 *
 * @param value - a value of JSON. Undefined is null in a list, and a member of it is left out.
 * @param write - receives the JSON in pieces.
 * @throws RangeError if the value is nested too deep, like JSON.stringify.
 */
export function* writeInSteps(value: unknown, write: (piece: string) => void): Steps<void> {
  if (isLarge(value)) yield* new StepWriter(write).addLarge(value);
  else write(jsonOf(value));
}

/** Like {@link writeInSteps}. Returns the JSON. */
export function* jsonInSteps(value: unknown): Steps<string> {
  if (!isLarge(value)) return jsonOf(value);
  const pieces: string[] = [];
  yield* new StepWriter((piece) => pieces.push(piece)).addLarge(value);
  return pieces.join("");
}

/** Like {@link writeInSteps}. Returns the JSON in UTF-8. */
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

class StepWriter {
  readonly #write: (piece: string) => void;
  /** Cost of the pieces of this step. */
  #cost = 0;

  constructor(write: (piece: string) => void) {
    this.#write = write;
  }

  /** Adds a list or object that does not fit in a piece. */
  addLarge(value: object): Steps<void> {
    return Array.isArray(value) ? this.#addList(value) : this.#addObject(value as Record<string, unknown>);
  }

  *#addList(list: readonly unknown[]): Steps<void> {
    let before = "[";
    for (const item of list) {
      if (this.#isStepOver()) yield;
      if (isLarge(item)) {
        this.#addPiece(before);
        yield* this.addLarge(item);
      } else this.#addPiece(before + jsonOf(item));
      before = ",";
    }
    this.#addPiece("]");
  }

  *#addObject(object: Readonly<Record<string, unknown>>): Steps<void> {
    let before = "{";
    for (const key in object) {
      const value = object[key];
      if (value === undefined) continue;
      if (this.#isStepOver()) yield;
      const start = `${before}${JSON.stringify(key)}:`;
      if (isLarge(value)) {
        this.#addPiece(start);
        yield* this.addLarge(value);
      } else this.#addPiece(start + jsonOf(value));
      before = ",";
    }
    this.#addPiece(before === "{" ? "{}" : "}");
  }

  #addPiece(piece: string): void {
    this.#cost += PIECE_COST + piece.length;
    this.#write(piece);
  }

  #isStepOver(): boolean {
    if (this.#cost < WRITTEN_LENGTH) return false;
    this.#cost = 0;
    return true;
  }
}

function jsonOf(value: unknown): string {
  return value === undefined ? "null" : JSON.stringify(value);
}

/** True for a list or object that does not fit in a step. */
function isLarge(value: unknown): value is object {
  return typeof value === "object" && value !== null && isLongerThan(value, WRITTEN_LENGTH);
}
