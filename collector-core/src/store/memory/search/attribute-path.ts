import { isRecord } from "../../../span/span-facts.js";
import { foldCase } from "./case-folding.js";
import type { SearchedTexts, SignedTexts } from "./span-predicate.js";

/** The path of an attribute: the whole key, or else a path through objects and lists. */
export class AttributePath {
  /** A whole key has each of them in it too. */
  readonly parts: readonly string[];
  /** What the bytes of a span with the attribute have: the longest part. */
  readonly searched: readonly SearchedTexts[];
  /** What the signature of its chunk has. */
  readonly signed: readonly SignedTexts[];
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    // eslint-disable-next-line obspan/no-uncopied-part -- of a query, which is kept with them
    this.parts = [...new Set(path.split("."))].filter((part) => part !== "");
    const parts = this.parts.map(foldCase);
    const longest = parts.toSorted((a, b) => b.length - a.length).slice(0, 1);
    this.searched = longest.map((part) => ({ folded: [part], isInKeys: true }));
    this.signed = parts.map((part) => ({ folded: [part], isNumber: false }));
  }

  /**
   * Visits the values of the attribute, each item of a list.
   *
   * @param visit - returns true to stop.
   * @returns true if a visit did.
   */
  someValue(attributes: unknown, visit: (value: unknown) => boolean): boolean {
    return isRecord(attributes) && someAt(attributes, this.#path, visit);
  }
}

/** Looks for the longest key first. */
function someAt(value: unknown, path: string, visit: (value: unknown) => boolean): boolean {
  if (Array.isArray(value)) return (value as unknown[]).some((item) => someAt(item, path, visit));
  if (!isRecord(value)) return false;
  if (Object.hasOwn(value, path)) return someItem(value[path], visit);
  for (let at = path.lastIndexOf("."); at > 0; at = path.lastIndexOf(".", at - 1)) {
    // eslint-disable-next-line obspan/no-uncopied-part -- compared, and not kept
    const [key, rest] = [path.slice(0, at), path.slice(at + 1)];
    if (Object.hasOwn(value, key) && someAt(value[key], rest, visit)) return true;
  }
  return false;
}

function someItem(value: unknown, visit: (value: unknown) => boolean): boolean {
  return Array.isArray(value) ? (value as unknown[]).some((item) => someItem(item, visit)) : visit(value);
}
