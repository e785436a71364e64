import { GROUP_LIMITS } from "../../../api-schema/group-keys.js";
import type { Steps } from "../../../runtime/steps.js";
import { keptText } from "../../../span/kept-text.js";
import { AttributePath } from "./attribute-path.js";
import { attributesInSteps } from "./span-attributes.js";
import type { SearchedTexts, SignedTexts, SpanPredicate } from "./span-predicate.js";

/** Values of a trace, like the lists of a summary. */
const MAX_VALUES = 20;

/**
 * Collects the values of an attribute: a predicate that is met when there are enough of them, so that a search of a trace reads
 * its other spans too. For one question.
 */
export class AttributeValues implements SpanPredicate {
  readonly id: string;
  readonly searched: readonly SearchedTexts[];
  readonly keyParts: readonly string[];
  readonly signed: readonly SignedTexts[];
  /** Bytes of the spans that were parsed. */
  readBytes = 0;
  readonly #path: AttributePath;
  /** Equal texts of many traces are one. */
  readonly #known = new Map<string, string>();
  #found = new Set<string>();

  constructor(path: string) {
    this.id = JSON.stringify([path]);
    this.#path = new AttributePath(path);
    this.keyParts = this.#path.parts;
    this.searched = this.#path.searched;
    this.signed = this.#path.signed;
  }

  isIn({ attributes }: { readonly attributes?: unknown }): boolean {
    return this.#path.someValue(attributes, (value) => {
      const text = textOf(value);
      if (text !== undefined) this.#found.add(this.#intern(text));
      return this.#found.size === MAX_VALUES;
    });
  }

  *matches(json: Buffer, start: number, end: number): Steps<boolean> {
    this.readBytes += end - start;
    return this.isIn({ attributes: yield* attributesInSteps(json, start, end) });
  }

  /** The values since the last call, in order of arrival. */
  take(): readonly string[] {
    const found = [...this.#found];
    this.#found = new Set();
    return found;
  }

  #intern(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const kept = keptText(text, GROUP_LIMITS.valueCharacters);
    if (this.#known.size < MAX_INTERNED) this.#known.set(kept, kept);
    return kept;
  }
}

/** Most attributes have few values; one with more has other ones in nearly every trace. */
const MAX_INTERNED = 4096;

/** A text as a query compares it; undefined for a value that it does not compare, and for an empty text. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
