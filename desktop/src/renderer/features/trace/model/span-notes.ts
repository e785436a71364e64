import { oneLine, textOf } from "@obspan/collector-core/analysis";
import type { NormalizedSpan } from "@obspan/collector-core/api-schema";

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
