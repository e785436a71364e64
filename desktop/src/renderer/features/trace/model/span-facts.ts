import type { NormalizedSpan } from "@obspan/collector-core/api-schema";
import { isTruncated } from "./values.js";

/** An attribute that is a text and not empty; of a long one the preview. */
export function textOf(span: NormalizedSpan, key: string): string | undefined {
  const value: unknown = Object.hasOwn(span.attributes, key) ? span.attributes[key] : undefined;
  const text = isTruncated(value) ? value.preview : value;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** An attribute that is a number. */
export function numberOf(span: NormalizedSpan, key: string): number | undefined {
  const value: unknown = Object.hasOwn(span.attributes, key) ? span.attributes[key] : undefined;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Types of span whose tokens, cost and first token the page shows. */
export function isModelCall(span: NormalizedSpan): boolean {
  return span.span_type === "llm" || span.span_type === "embedding";
}

/** What stands beside a span's bar: why it failed, the model that was called, or that another agent took over. */
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

/** The first characters of a text, without line breaks. */
export function oneLine(text: string, length: number): string {
  const line = text
    .slice(0, length * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** What a status is called, and the colour that goes with it. */
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
