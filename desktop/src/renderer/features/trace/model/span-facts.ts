import type { NormalizedSpan } from "@obspan/collector-core/api-schema";
import { isRecord, isTruncated } from "./values.js";

const NO_ATTRIBUTES: Readonly<Record<string, unknown>> = {};

/** The attributes of a span; none if the collector sent something other than an object. */
export function attributesOf({ attributes }: NormalizedSpan): Readonly<Record<string, unknown>> {
  return isRecord(attributes) ? attributes : NO_ATTRIBUTES;
}

/** The value of an attribute; undefined if the span does not have it. */
export function attributeOf(span: NormalizedSpan, key: string): unknown {
  const attributes = attributesOf(span);
  return Object.hasOwn(attributes, key) ? attributes[key] : undefined;
}

/** A non-empty text attribute; for a truncated one, the preview. */
export function textOf(span: NormalizedSpan, key: string): string | undefined {
  const value = attributeOf(span, key);
  const text = isTruncated(value) ? value.preview : value;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** An attribute that is a number. */
export function numberOf(span: NormalizedSpan, key: string): number | undefined {
  const value = attributeOf(span, key);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Span types for which the page shows tokens, cost and first token. */
export function isModelCall(span: NormalizedSpan): boolean {
  return span.span_type === "llm" || span.span_type === "embedding";
}

/** The note beside a span's bar: its error, its model, or a change of agent. */
export function sideNote(
  span: NormalizedSpan,
  parentAgent: string | undefined,
): { readonly text: string; readonly isError: boolean } | undefined {
  if (span.status === "ERROR" && span.error_propagated !== true) {
    const reason = textOf(span, "error_message") ?? textOf(span, "error_type") ?? "failed";
    return { text: oneLine(reason, 48), isError: true };
  }
  const agent = textOf(span, "agent");
  if (
    span.span_type === "agent" &&
    parentAgent !== undefined &&
    agent !== undefined &&
    agent !== parentAgent
  ) {
    return { text: "hand-off", isError: false };
  }
  const tool = textOf(span, "tool_name");
  const note = textOf(span, "model") ?? (tool === span.name ? undefined : tool);
  return note === undefined ? undefined : { text: oneLine(note, 40), isError: false };
}

/** The beginning of a text, without line breaks. */
export function oneLine(text: string, length: number): string {
  const line = text
    .slice(0, length * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** Name and colour of a status. */
export function statusBadge(status: string): { readonly text: string; readonly kind: string } {
  const kinds: Readonly<Record<string, string>> = {
    OK: "ok",
    ERROR: "error",
    RUNNING: "running",
    ABANDONED: "warn",
  };
  return {
    text: status === "" ? "no status" : status,
    kind: Object.hasOwn(kinds, status) ? (kinds[status] ?? "plain") : "plain",
  };
}
