import type { TraceSummary } from "../../api-schema/trace.js";
import { isFlag, isNumber, isText, listOf, objectOf, orNull, type Shape } from "./stored-shape.js";

/** The status of a trace whose running spans were silent for too long. */
export const ABANDONED = "ABANDONED";

/** Without further fields, since all of a score is sent to the main thread. */
const isScore: Shape = (value) =>
  hasScoreFields(value) && Object.keys(value as object).length === SCORE_FIELDS;
const hasScoreFields = objectOf({ type: isText, score: isNumber, label: orNull(isText) });
const SCORE_FIELDS = 3;

const isCostSource: Shape = (value) => value === "reported" || value === "computed";

/** The fields of a summary in a file, in their order there. New ones go last: a shorter list lacks them. */
const SHAPES = {
  root_name: isText,
  service: isText,
  env: isText,
  version: orNull(isText),
  agent: orNull(isText),
  models: listOf(isText),
  status: isText,
  error_type: orNull(isText),
  error_count: isNumber,
  start_time: isText,
  duration_ms: isNumber,
  ttft_ms: orNull(isNumber),
  span_count: isNumber,
  llm_calls: isNumber,
  tool_calls: isNumber,
  tokens_input: isNumber,
  tokens_output: isNumber,
  cost_usd: isNumber,
  scores: listOf(isScore),
  input_preview: orNull(isText),
  output_preview: orNull(isText),
  dropped_spans: isNumber,
  running: isFlag,
  partial: isFlag,
  session_id: orNull(isText),
  user_id: orNull(isText),
  providers: listOf(isText),
  tools: listOf(isText),
  prompts: listOf(isText),
  cost_source: orNull(isCostSource),
} satisfies Partial<Record<keyof TraceSummary, Shape>>;
/** A field of a summary that a file has in a list. */
export type SummaryField = keyof typeof SHAPES;

const FIELDS = Object.keys(SHAPES) as SummaryField[];
const SHAPE_LIST: readonly Shape[] = Object.values(SHAPES);

/** The index of a field in what {@link encodeSummary} writes. */
export function summaryIndex(field: SummaryField): number {
  return FIELDS.indexOf(field);
}

/** The index of the scores in what {@link encodeSummary} writes. */
export const SCORES_INDEX = summaryIndex("scores");

/** The fields that a file has in columns of their own. */
type ColumnFields = Pick<TraceSummary, "trace_id" | "tenant">;
type ListedFields = Pick<TraceSummary, SummaryField>;

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

/** True for what {@link encodeSummary} wrote, parsed, also in an earlier version. */
export function isSummary(listed: unknown): boolean {
  if (!Array.isArray(listed)) return false;
  return SHAPE_LIST.every((hasShape, index) => index >= listed.length || hasShape(listed[index]));
}

/** Decodes what {@link encodeSummary} wrote, parsed. */
export function decodeSummary(columns: ColumnFields, values: readonly unknown[]): TraceSummary {
  const listed = Object.fromEntries(FIELDS.map((field, index) => [field, values[index]])) as ListedFields;
  // A file of an earlier version does not say it.
  return { ...columns, ...listed, cost_source: listed.cost_source ?? null };
}
