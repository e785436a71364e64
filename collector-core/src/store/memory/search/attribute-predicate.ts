import type { AttributeCondition, AttributeTest } from "../../../api-schema/query/conditions.js";
import { isInRanges, readPlainNumber } from "../../../api-schema/query/query-values.js";
import type { Steps } from "../../../runtime/steps.js";
import { AttributePath } from "./attribute-path.js";
import { foldCase } from "./case-folding.js";
import type { SearchedTexts, SignedTexts, SpanPredicate } from "./span-predicate.js";
import { attributesInSteps } from "./span-attributes.js";

/** Texts that JSON writes without quotes too. */
const LITERALS: ReadonlySet<string> = new Set(["true", "false", "null"]);

/** A value of an attribute of a span. */
export class AttributePredicate implements SpanPredicate {
  readonly id: string;
  readonly searched: readonly SearchedTexts[];
  readonly keyParts: readonly string[];
  readonly signed: readonly SignedTexts[];
  readonly #path: AttributePath;
  readonly #tests: readonly AttributeTest[];

  constructor({ path, tests }: Pick<AttributeCondition, "path" | "tests">) {
    this.id = JSON.stringify([path, tests]);
    this.#path = new AttributePath(path);
    this.keyParts = this.#path.parts;
    this.#tests = tests;
    const texts = textsOf(tests);
    // A number, a boolean and null are not in quotes, where the search of the bytes looks.
    const isQuoted =
      texts?.every((text) => !LITERALS.has(text) && readPlainNumber(text) === undefined) === true;
    this.searched = [
      ...this.#path.searched,
      ...(isQuoted ? [{ folded: texts.map(foldCase), isInKeys: false }] : []),
    ];
    this.signed = [...this.#path.signed, ...(texts === undefined ? [] : signedValues(texts))];
  }

  isIn({ attributes }: { readonly attributes?: unknown }): boolean {
    return this.#path.someValue(attributes, (value) => this.#tests.some((test) => isTrue(test, value)));
  }

  *matches(json: Buffer, start: number, end: number): Steps<boolean> {
    return this.isIn({ attributes: yield* attributesInSteps(json, start, end) });
  }
}

function isTrue(test: AttributeTest, value: unknown): boolean {
  switch (test.kind) {
    case "any":
      return value !== null;
    case "equal":
      if (typeof value === "string") return value === test.text;
      if (typeof value === "number") return value === readPlainNumber(test.text);
      return (typeof value === "boolean" || value === null) && String(value) === test.text;
    case "range": {
      const number = typeof value === "string" ? readPlainNumber(value) : value;
      return typeof number === "number" && isInRanges(number, [test.range]);
    }
  }
}

/** The texts of the tests; undefined if one of them is met by values of any text. */
function textsOf(tests: readonly AttributeTest[]): string[] | undefined {
  const texts: string[] = [];
  for (const test of tests) {
    if (test.kind !== "equal" || test.text === "") return undefined;
    texts.push(test.text);
  }
  return texts;
}

/** What a chunk with one of the values has. None for a fraction, which may be written with more digits: `12.1` as `12.0999…`. */
function signedValues(texts: readonly string[]): SignedTexts[] {
  const numbers = texts.map(readPlainNumber).filter((number) => number !== undefined);
  if (!numbers.every(Number.isSafeInteger)) return [];
  // Without an exponent, an integer begins with its digits: `4711.0` with `4711`.
  return [{ folded: [...texts, ...numbers.map(String)].map(foldCase), isNumber: numbers.length > 0 }];
}
