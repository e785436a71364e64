import { createHash } from "node:crypto";
import type { JsonValue } from "@obspan/sdk/wire";
import type { NormalizedSpan } from "../api-schema/trace.js";
import type { Steps } from "../runtime/steps.js";
import { TEXT_LIMIT } from "./shorten-texts.js";

/** Values and texts that a comparison keeps, in bytes. Spans beyond that are compared without their long values. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** The memory of a value apart from its text. */
const VALUE_BYTES = 64;
/** Longer texts are not compared word by word, only as a whole. */
const MAX_COMPARED_LENGTH = 64 * 1024;
/** Values between two pauses. */
const PAUSE = 512;
/** Texts of the attributes that stay if nothing else fits. */
const MAX_LABEL_LENGTH = 256;
/** The analysis does not read deeper values. */
const MAX_DEPTH = 64;

/** Bounds of {@link ComparedSpans}, for tests. */
export interface ComparedSpansOptions {
  readonly maxKeptBytes?: number;
}

/**
 * The spans of two traces while they are compared. A long text is replaced by a placeholder with its hash, which is equal for
 * equal texts; the text itself is kept once, if it is short enough for a comparison of its words. What is kept is bounded.
 */
export class ComparedSpans {
  readonly #maxBytes: number;
  /** Each text once: calls send the same messages again and again. */
  readonly #texts = new Map<string, string>();
  readonly #full = new Map<string, string>();
  #bytes = 0;
  #values = 0;
  #hasAll = true;

  constructor({ maxKeptBytes = MAX_KEPT_BYTES }: ComparedSpansOptions = {}) {
    this.#maxBytes = maxKeptBytes;
  }

  /** False if a span was kept without its long values. */
  get hasAll(): boolean {
    return this.#hasAll;
  }

  /** The text that a placeholder stands for, if it is kept. */
  readonly fullText = (placeholder: string): string | undefined => this.#full.get(placeholder);

  /** A span as it is compared. */
  *keep(span: NormalizedSpan): Steps<NormalizedSpan> {
    if (this.#bytes < this.#maxBytes) {
      const attributes = yield* this.#keepValue(span.attributes, 0);
      return { ...span, attributes: attributes as NormalizedSpan["attributes"], events: [] };
    }
    return this.keepLabels(span);
  }

  /** A span without its long values. */
  keepLabels(span: NormalizedSpan): NormalizedSpan {
    this.#hasAll = false;
    const labels = Object.entries(span.attributes).filter(([, value]) => isLabel(value));
    return { ...span, attributes: Object.fromEntries(labels), events: [] };
  }

  *#keepValue(value: JsonValue, depth: number): Steps<JsonValue> {
    this.#bytes += VALUE_BYTES;
    if (++this.#values % PAUSE === 0) yield;
    if (typeof value === "string") return this.#keepText(value);
    if (value === null || typeof value !== "object") return value;
    if (depth === MAX_DEPTH) return "…";
    if (Array.isArray(value)) {
      const items: JsonValue[] = [];
      for (const item of value) items.push(yield* this.#keepValue(item, depth + 1));
      return items;
    }
    const fields: [string, JsonValue][] = [];
    for (const [key, item] of Object.entries(value))
      fields.push([key, yield* this.#keepValue(item, depth + 1)]);
    // An assignment to `__proto__` would set the prototype.
    return Object.fromEntries(fields);
  }

  #keepText(text: string): string {
    if (text.length > TEXT_LIMIT.maxBytes) return this.#placeholder(text);
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    this.#bytes += text.length;
    return text;
  }

  #placeholder(text: string): string {
    const hash = createHash("sha256").update(text).digest("hex");
    const placeholder = `${text.slice(0, MAX_LABEL_LENGTH)}… [${text.length} characters, ${hash}]`;
    if (text.length <= MAX_COMPARED_LENGTH && !this.#full.has(placeholder)) {
      this.#full.set(placeholder, text);
      this.#bytes += text.length;
    }
    return placeholder;
  }
}

function isLabel(value: JsonValue): boolean {
  if (typeof value === "string") return value.length <= MAX_LABEL_LENGTH;
  return value === null || typeof value !== "object";
}
