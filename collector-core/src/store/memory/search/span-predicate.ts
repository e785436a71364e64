import type { Steps } from "../../../runtime/steps.js";

/** Texts of which a span that meets a predicate has at least one. */
export interface SearchedTexts {
  /** See `foldCase`; none empty. */
  readonly folded: readonly string[];
  /** True if the text may be in a key of an object; false if it is in a value. */
  readonly isInKeys: boolean;
}

/** Texts of which one is in the bytes of a chunk that has such a span: in lower or upper case, in a key or a value. */
export interface SignedTexts {
  /** See `foldCase`; none empty. */
  readonly folded: readonly string[];
  /** True if one of the texts is a number, which may be written with an exponent. */
  readonly isNumber: boolean;
}

/** What is asked of the JSON of a span. */
export interface SpanPredicate {
  /** Equal for predicates that find the same spans. */
  readonly id: string;
  /** Each must be in the bytes of the span. */
  readonly searched: readonly SearchedTexts[];
  /** Parts of keys that its JSON has, in their letter case. */
  readonly keyParts: readonly string[];
  /** What the signature of a chunk must have. */
  readonly signed: readonly SignedTexts[];
  /** Tests a small span. */
  isIn(span: { readonly name?: unknown; readonly attributes?: unknown }): boolean;
  /** Tests the JSON of a span. */
  matches(json: Buffer, start: number, end: number): Steps<boolean>;
}

/** A predicate, or that no span of the trace meets it. */
export interface SpanSearch {
  readonly predicate: SpanPredicate;
  readonly isNegated: boolean;
}
