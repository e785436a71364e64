import { counted, whole } from "../runtime/counted.js";
import type { TraceSummary } from "../api-schema/trace.js";
import type { SharedTrace } from "./shared-trace.js";

/** A figure of a trace, as a file shows it. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** The figures of a trace that have a value. */
export function traceFacts(summary: TraceSummary): Fact[] {
  const { tokens_input: input, tokens_output: output, error_count: errors } = summary;
  const place = [summary.service, summary.env, summary.version].filter(
    (part) => part !== null && part !== "",
  );
  const facts: [name: string, value: string | null][] = [
    [
      "Status",
      summary.status !== "ERROR" || summary.error_type === null
        ? summary.status
        : `${summary.status}, ${summary.error_type}`,
    ],
    ["Started", timeText(summary.start_time)],
    ["Duration", durationText(summary.duration_ms)],
    ["First token", summary.ttft_ms === null ? null : durationText(summary.ttft_ms)],
    ["Tokens in → out", input + output === 0 ? null : `${whole(input)} → ${whole(output)}`],
    ["Cost", costOfSum(summary)],
    ["Models", listed(summary.models)],
    ["Agent", summary.agent],
    ["Service", place.join(" · ")],
    ["Session", summary.session_id],
    ["User", summary.user_id],
    ["Spans", whole(summary.span_count)],
    ["Errors", errors === 0 ? null : whole(errors)],
    ["Scores", listed(summary.scores.map(({ type, score }) => `${type} ${score.toFixed(2)}`))],
  ];
  return facts.flatMap(([name, value]) => (value === null || value === "" ? [] : [{ name, value }]));
}

/** What a file does not show of the trace, as sentences. */
export function fileNotes({ isRedacted, leftOut, cut, summary }: SharedTrace): string[] {
  return [
    redactionNote(isRedacted),
    ...(leftOut === 0 ? [] : [`${counted(leftOut, "span")} did not fit into this file.`]),
    ...(cut === 0 ? [] : [`Long texts and lists of ${counted(cut, "span")} are cut.`]),
    ...(summary.dropped_spans === 0
      ? []
      : [`${counted(summary.dropped_spans, "span")} of this trace were not stored.`]),
    ...(summary.running ? ["The trace was still running."] : []),
  ];
}

/** Whether a file has personal data. */
export function redactionNote(isRedacted: boolean): string {
  return isRedacted
    ? "Personal data and secrets that the built-in patterns know are replaced."
    : "Texts are as they were recorded: personal data and secrets are not replaced.";
}

/** `2026-11-21 14:32:20.118 UTC`: the readers of a file are in any time zone. */
export function timeText(rfc3339: string): string {
  const ms = Date.parse(rfc3339);
  if (Number.isNaN(ms)) return rfc3339;
  return new Date(ms).toISOString().replace("T", " ").replace("Z", " UTC");
}

/** `460 ms`, `14.82 s`, `3 m 04 s`. */
export function durationText(ms: number): string {
  if (ms < 10 && ms % 1 !== 0) return `${ms.toFixed(ms < 1 ? 2 : 1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_995) return `${(ms / 1000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
}

/** `$0.0309`, `$21.74`. */
export function costText(usd: number): string {
  if (usd < 0.00005) return "<$0.0001";
  return `$${usd < 1 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

/** The same, marked if a collector computed it or a part of it: `≈ $0.0309`. Nothing for 0, which is most often a missing price. */
export function markedCost(usd: number, isComputed: boolean): string {
  return usd === 0 ? "" : `${isComputed ? "≈ " : ""}${costText(usd)}`;
}

/** A sum of costs, marked if a collector computed some of it; null without a cost. */
export function costOfSum({
  cost_usd: usd,
  cost_source: source,
}: Pick<TraceSummary, "cost_usd" | "cost_source">): string | null {
  return usd === 0 ? null : markedCost(usd, source === "computed");
}

function listed(items: readonly string[]): string | null {
  return items.length === 0 ? null : items.join(", ");
}
