import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { rowKeyOf } from "../../../store/trace-key.js";

/**
 * The match after or before the selected turn; behind the last one, the first one follows.
 *
 * @param found - row keys in order of start. Those that were not fetched are earlier than all turns that were.
 */
export function nextFound(
  found: readonly string[],
  turns: readonly TraceSummary[],
  selected: TraceSummary | undefined,
  by: 1 | -1,
): string | undefined {
  const places = new Map(turns.map((turn, index) => [rowKeyOf(turn), index]));
  const placeOf = (key: string): number => places.get(key) ?? -1;
  const at = selected === undefined ? turns.length : placeOf(rowKeyOf(selected));
  return by === 1
    ? (found.find((key) => placeOf(key) > at) ?? found[0])
    : (found.findLast((key) => placeOf(key) < at) ?? found.at(-1));
}
