import type { GraphLoop } from "../analysis/graph/run-graph.js";
import { whole } from "../runtime/counted.js";
import { durationText } from "./trace-facts.js";

/** What a loop is, in words: `4 calls with the same arguments; those after the first took 1.20 s`. */
export function loopText({ kind, count, gapMs, repeatedMs }: GraphLoop): string {
  if (kind === "cycle") return "started from inside of itself";
  if (kind === "again")
    return `started again ${gapMs === undefined ? "" : `${durationText(gapMs)} `}after it gave back`;
  const calls = `${whole(count)} calls with the same arguments`;
  return repeatedMs === 0 ? calls : `${calls}; those after the first took ${durationText(repeatedMs)}`;
}
