import { runInSlices } from "../../runtime/steps.js";
import type { TimeSlice } from "../../runtime/time-slice.js";
import type { SearchedTexts, SpanPredicate } from "../memory/search/span-predicate.js";
import { allOf, anyOf } from "./condition-sql.js";
import type { SqlParameters } from "./sql-parameters.js";

/** Between two texts of `search_text`: a text that contains it cannot be searched for there. */
const SEPARATOR = "\0";

/** Whether a span meets a predicate. */
export function hasMatch(predicate: SpanPredicate, json: string, timeSlice: TimeSlice): Promise<boolean> {
  const bytes = Buffer.from(json);
  return runInSlices(predicate.matches(bytes, 0, bytes.length), timeSlice);
}

/** The rows of `spans` that meet a condition, for a `FROM`. Replaced spans do not, and are looked for without merging all others. */
export function spansWith(condition: string): string {
  return `spans FINAL WHERE (tenant, trace_id) IN (SELECT tenant, trace_id FROM spans WHERE ${condition}) AND ${condition}`;
}

/** A condition on rows of `spans`: what the JSON of a span that meets a predicate has. */
export function candidateSql(predicate: SpanPredicate, parameters: SqlParameters): string {
  return allOf([
    ...predicate.keyParts.map((part) => `position(json, ${parameters.text(escaped(part))}) > 0`),
    ...predicate.searched.filter(isInValues).map(({ folded }) => likeSql(folded, parameters)),
  ]);
}

/** A text as JSON writes it, without its quotes. */
function escaped(text: string): string {
  // eslint-disable-next-line obspan/no-uncopied-part -- sent at once, and not kept
  return JSON.stringify(text).slice(1, -1);
}

export function isInValues({ isInKeys, folded }: SearchedTexts): boolean {
  return !isInKeys && !folded.some((text) => text.includes(SEPARATOR));
}

/** The condition that `search_text` has one of some texts. */
export function likeSql(folded: readonly string[], parameters: SqlParameters): string {
  return anyOf(
    folded.map((text) => `search_text LIKE ${parameters.text(`%${text.replace(/[\\%_]/g, "\\$&")}%`)}`),
  );
}
