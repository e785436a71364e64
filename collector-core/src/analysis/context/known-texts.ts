import type { NormalizedSpan } from "../../api-schema/trace.js";
import { attributeOf } from "../attributes.js";
import { isLongText, isRecord, isTruncated, parseJsonText, type LongText } from "../values.js";

/** A text that a span of the run returned, and that a later request may contain. */
export interface KnownText {
  readonly kind: "memory" | "retrieved";
  readonly label: string | undefined;
  readonly text: string;
}

/** Shorter texts are found by chance. */
const MIN_LENGTH = 80;
const MAX_TEXTS = 200;
const MAX_CHARACTERS = 2_000_000;

const MEMORY_NAME = /memor(?:y|ies)/i;

/** The kind of text that a span returns; undefined for most spans. */
export function knownKind(type: string, name: string): KnownText["kind"] | undefined {
  if (type === "retrieval") return "retrieved";
  return type !== "llm" && type !== "agent" && MEMORY_NAME.test(name) ? "memory" : undefined;
}

/** The documents and memories that spans of a run returned, bounded in number and length. */
export class KnownTexts {
  readonly #texts = new Map<string, KnownText>();
  #characters = 0;

  get size(): number {
    return this.#texts.size;
  }

  /** Adds what a span returned. @returns whether there was something new. */
  add(span: NormalizedSpan): boolean {
    const kind = knownKind(span.span_type, span.name);
    if (kind === undefined) return false;
    const { size } = this.#texts;
    const output = attributeOf(span, "output_text") ?? attributeOf(span, "completion_text");
    for (const { label, text } of documentsIn(output, undefined, 0)) {
      if (isTruncated(text) || text.length < MIN_LENGTH || this.#texts.has(text)) continue;
      if (this.#texts.size >= MAX_TEXTS || this.#characters + text.length > MAX_CHARACTERS) break;
      this.#texts.set(text, { kind, label, text });
      this.#characters += text.length;
    }
    return this.#texts.size > size;
  }

  all(): Iterable<KnownText> {
    return this.#texts.values();
  }
}

interface FoundDocument {
  readonly label: string | undefined;
  readonly text: LongText;
}

const TEXT_FIELDS = ["content", "text", "page_content", "pageContent", "document", "memory", "chunk"];
const NAME_FIELDS = ["title", "name", "file_name", "filename", "source", "path", "url", "id"];
const LIST_FIELDS = ["documents", "results", "matches", "chunks", "memories", "items", "data", "hits"];
/** Documents are in a list, perhaps in an object, perhaps as JSON. */
const MAX_DEPTH = 4;

function* documentsIn(value: unknown, label: string | undefined, depth: number): Generator<FoundDocument> {
  if (depth > MAX_DEPTH) return;
  if (isLongText(value)) {
    const parsed = isTruncated(value) ? undefined : parseJsonText(value);
    if (parsed === undefined) yield { label, text: isTruncated(value) ? value : value.trim() };
    else yield* documentsIn(parsed, label, depth + 1);
  } else if (Array.isArray(value))
    for (const item of value.slice(0, MAX_TEXTS)) yield* documentsIn(item, label, depth + 1);
  else if (isRecord(value)) {
    const text = TEXT_FIELDS.map((key) => value[key]).find(isLongText);
    const name = nameIn(value) ?? (isRecord(value["metadata"]) ? nameIn(value["metadata"]) : undefined);
    if (text !== undefined) yield { label: name ?? label, text: isTruncated(text) ? text : text.trim() };
    for (const key of LIST_FIELDS)
      if (Array.isArray(value[key])) yield* documentsIn(value[key], label, depth + 1);
    if (isRecord(value["document"])) yield* documentsIn(value["document"], label, depth + 1);
  }
}

function nameIn(fields: Readonly<Record<string, unknown>>): string | undefined {
  const name = NAME_FIELDS.map((key) => fields[key]).find((each) => typeof each === "string" && each !== "");
  return typeof name === "string" ? name.slice(0, 200) : undefined;
}
