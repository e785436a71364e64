import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { indexOfRow, traceKeyOf } from "../../store/trace-key.js";
import { compareHref } from "../compare/compare-address.js";

/**
 * URL of the comparison of two selected rows, of which the earlier run is A; undefined unless two are selected.
 *
 * @param rows - the list.
 * @param selected - row keys.
 */
export function comparedRows(
  rows: readonly TraceSummary[],
  selected: ReadonlySet<string>,
): string | undefined {
  const [first, second, ...others] = selected;
  if (first === undefined || second === undefined || others.length > 0) return undefined;
  const startOf = (key: string): number => Date.parse(rows[indexOfRow(rows, key)]?.start_time ?? "");
  const isLater = startOf(first) > startOf(second);
  const [a, b] = isLater ? [second, first] : [first, second];
  return compareHref({ a: traceKeyOf(a), b: traceKeyOf(b) });
}
