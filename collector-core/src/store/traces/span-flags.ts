import { CONTENT } from "../../span/content-flags.js";
import type { SpanFacts } from "../../span/span-facts.js";
import { FLAG } from "./span-table.js";

/** True for an llm span that is a wrapper even if its trace has no inner call, because the span cap dropped that. */
export function isKnownWrapper(flags: number): boolean {
  return (flags & FLAG.llm) !== 0 && ((flags & FLAG.wrapper) !== 0 || (flags & FLAG.countsUsage) === 0);
}

/** True for an llm span inside another span. If that is an llm span too, it is a wrapper and not a call. */
export function isChildCall(flags: number): boolean {
  const wanted = FLAG.llm | FLAG.hasParent;
  return (flags & wanted) === wanted;
}

/** The flags of a span, as far as it tells them itself. */
export function flagsOf(facts: SpanFacts, countsUsage: boolean): number {
  // A span that names itself as its parent is a root.
  const hasParent = facts.parentSpanId !== "" && facts.parentSpanId !== facts.spanId;
  return (
    (facts.isRunning ? FLAG.running : 0) |
    (facts.status === "ERROR" && !facts.errorPropagated ? FLAG.failed : 0) |
    (countsUsage ? FLAG.countsUsage : 0) |
    (facts.spanType === "llm" ? FLAG.llm : 0) |
    (facts.spanType === "tool" ? FLAG.tool : 0) |
    (hasParent ? FLAG.hasParent : 0) |
    ((facts.contentFlags & CONTENT.image) !== 0 ? FLAG.image : 0) |
    ((facts.contentFlags & CONTENT.emptyToolOutput) !== 0 ? FLAG.emptyToolOutput : 0) |
    (facts.evaluationScore !== undefined ? FLAG.scored : 0) |
    (facts.costSource === "computed" ? FLAG.computedCost : 0)
  );
}
