import { newSpanId } from "../span/ids.js";
import type { Span } from "../wire/index.js";
import type { VcsAttributes } from "./vcs-variables.js";

/**
 * Puts the revision of the app into the JSON of root spans. As attributes, its two keys would cost more than the JSON of the
 * whole span: V8 adds a key to an object that was made with `{ ...attributes }` without a cache, each time. So a span gets a
 * mark, and the JSON of a batch the same text in place of each mark.
 */
export class RevisionText {
  readonly #vcs: VcsAttributes;
  readonly #isKnown: boolean;
  /** A random key, so that no text of the app can look like it. */
  readonly #mark = newSpanId() + newSpanId();
  /** How the JSON of a marked span ends, and how it ends with the revision. The first brace is that of its attributes. */
  readonly #markedEnd = `},"${this.#mark}":0}`;
  readonly #end: string;

  constructor(vcs: VcsAttributes) {
    this.#vcs = vcs;
    this.#isKnown = Object.keys(vcs).length > 0;
    this.#end = `,${JSON.stringify(vcs).slice(1)}}`;
  }

  /** Marks a root span for {@link write}. Its last key is `attributes`, and an attribute that it has is kept. */
  mark(span: Span): Span {
    if (!this.#isKnown || span.parent_span_id !== undefined) return span;
    const { attributes = {} } = span;
    const isWithout =
      attributes["vcs.ref.head.revision"] === undefined && attributes["vcs.ref.head.name"] === undefined;
    if (isWithout && hasKeys(attributes)) (span as Span & Record<string, unknown>)[this.#mark] = 0;
    else span.attributes = { ...this.#vcs, ...attributes };
    return span;
  }

  /** Writes the revision into the JSON of a batch. */
  write(json: string): string {
    return this.#isKnown ? json.split(this.#markedEnd).join(this.#end) : json;
  }
}

function hasKeys(attributes: object): boolean {
  for (const _ in attributes) return true;
  return false;
}
