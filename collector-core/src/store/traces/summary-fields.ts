import type { TraceSummary } from "../../api-schema/trace.js";

/** The status of a trace whose running spans were silent for too long. */
export const ABANDONED = "ABANDONED";

/** The fields of a summary in a file, in their order there. New ones go last: a shorter list lacks them. */
const FIELDS = [
  "root_name",
  "service",
  "env",
  "version",
  "agent",
  "models",
  "status",
  "error_type",
  "error_count",
  "start_time",
  "duration_ms",
  "ttft_ms",
  "span_count",
  "llm_calls",
  "tool_calls",
  "tokens_input",
  "tokens_output",
  "cost_usd",
  "scores",
  "input_preview",
  "output_preview",
  "dropped_spans",
  "running",
  "partial",
  "session_id",
  "user_id",
  "providers",
  "tools",
  "prompts",
] as const satisfies readonly (keyof TraceSummary)[];

/** The fields that a file has in columns of their own. */
type ColumnFields = Pick<TraceSummary, "trace_id" | "tenant">;
type ListedFields = Pick<TraceSummary, (typeof FIELDS)[number]>;

/** Encodes a summary without its keys, which would be half of it. */
export function encodeSummary(summary: TraceSummary): string {
  return JSON.stringify(FIELDS.map((field) => summary[field]));
}

/** Encodes the summary of a trace that was running and is abandoned now. @param listed - what {@link encodeSummary} wrote, parsed. */
export function encodeAbandoned(listed: readonly unknown[]): string {
  const values = [...listed];
  values[FIELDS.indexOf("status")] = ABANDONED;
  values[FIELDS.indexOf("running")] = false;
  return JSON.stringify(values);
}

/** Decodes what {@link encodeSummary} wrote, parsed. */
export function decodeSummary(columns: ColumnFields, values: readonly unknown[]): TraceSummary {
  const listed = Object.fromEntries(FIELDS.map((field, index) => [field, values[index]])) as ListedFields;
  return { ...columns, ...listed };
}
