import type { Steps } from "../../../runtime/steps.js";
import { parseInSteps } from "../../../span/json-in-steps.js";
import { truncateCodePoints } from "../../../span/kept-text.js";
import { isRecord, MAX_NAME_LENGTH } from "../../../span/span-facts.js";
import { SMALL_SPAN_BYTES } from "../../../span/stored-span.js";
import { foldCase } from "./case-folding.js";
import { PIECE_BYTES } from "./json-text-search.js";
import type { SearchedTexts, SignedTexts, SpanPredicate } from "./span-predicate.js";

/** Cost of visiting a value, in characters. */
const LENGTH_PER_VALUE = 16;

/**
 * A text to find in spans: in their names and in all strings of their attributes, in any letter case and in both Unicode
 * normal forms: composed text matches decomposed text.
 */
export class SpanText implements SpanPredicate {
  readonly id: string;
  readonly searched: readonly SearchedTexts[];
  readonly keyParts = [];
  readonly signed: readonly SignedTexts[];
  /** The distinct normal forms, case-folded. */
  readonly folded: readonly string[];
  /** Characters of a large span visited since the last step. */
  #lengthSinceStep = 0;

  constructor(text: string) {
    this.folded = [...new Set([text, text.normalize("NFC"), text.normalize("NFD")].map(foldCase))];
    this.id = JSON.stringify(text);
    this.searched = [{ folded: this.folded, isInKeys: false }];
    this.signed = [{ folded: this.folded, isNumber: false }];
  }

  /** Searches the JSON of one span. */
  *matches(json: Buffer, start: number, end: number): Steps<boolean> {
    const isSmall = end - start <= SMALL_SPAN_BYTES;
    if (isSmall) return this.isIn(JSON.parse(json.toString("utf8", start, end)) as Record<string, unknown>);
    const { name, attributes } = (yield* parseInSteps(json, start)) as Record<string, unknown>;
    if (this.#isInName(name)) return true;
    return isRecord(attributes) && (yield* this.#isInLargeValue(attributes));
  }

  /** Searches a small span. */
  isIn({ name, attributes }: { readonly name?: unknown; readonly attributes?: unknown }): boolean {
    return this.#isInName(name) || (isRecord(attributes) && this.#isInValue(attributes));
  }

  #isInName(name: unknown): boolean {
    return typeof name === "string" && this.#matches(truncateCodePoints(name, MAX_NAME_LENGTH));
  }

  *#isInLargeValue(value: unknown): Steps<boolean> {
    if (typeof value === "string") return yield* this.#isInLongText(value);
    if (typeof value !== "object" || value === null) return false;
    // Not `for…in` over a list: it creates a string for each index.
    for (const item of Array.isArray(value) ? (value as unknown[]) : valuesOf(value)) {
      this.#lengthSinceStep += LENGTH_PER_VALUE + (typeof item === "string" ? item.length : 0);
      if (this.#lengthSinceStep > PIECE_BYTES) {
        this.#lengthSinceStep = 0;
        yield;
      }
      const isShort = typeof item === "string" ? item.length <= PIECE_BYTES : typeof item !== "object";
      if (isShort ? this.#isInValue(item) : yield* this.#isInLargeValue(item)) return true;
    }
    return false;
  }

  /** Searches pieces that overlap, so that a match across their border is found. */
  *#isInLongText(text: string): Steps<boolean> {
    const overlap = this.folded.reduce((longest, { length }) => Math.max(longest, length), 0) + 2;
    for (let at = 0; at < text.length; at += PIECE_BYTES) {
      // eslint-disable-next-line obspan/no-uncopied-part -- compared, and not kept
      if (this.#matches(text.slice(at, at + PIECE_BYTES + overlap))) return true;
      yield;
    }
    return false;
  }

  #isInValue(value: unknown): boolean {
    if (typeof value === "string") return this.#matches(value);
    if (typeof value !== "object" || value === null) return false;
    return Object.values(value).some((inner) => this.#isInValue(inner));
  }

  #matches(text: string): boolean {
    const folded = foldCase(text);
    return this.folded.some((wanted) => folded.includes(wanted));
  }
}

function* valuesOf(object: object): Generator {
  for (const key in object) yield (object as Record<string, unknown>)[key];
}
