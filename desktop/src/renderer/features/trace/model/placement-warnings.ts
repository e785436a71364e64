import type { SpanNode } from "@obspan/collector-core/analysis";
import { durationText } from "../../../format.js";

/** Smaller differences are normal between the clocks of two machines. */
const CLOCK_SLACK_MS = 1;

/** Whether the span's parent is missing: not received yet, evicted, or not sampled. */
export function lacksParent({ span, id, parent }: SpanNode): boolean {
  const { parent_span_id: parentId } = span;
  return parent === undefined && parentId !== null && parentId !== "" && parentId !== id;
}

/** Warnings about a span's place in its trace. */
export function placementWarnings(node: SpanNode): readonly string[] {
  const { span, parent, startMs } = node;
  const notices: string[] = [];
  if (lacksParent(node)) notices.push(`Its parent ${span.parent_span_id ?? ""} is not in this trace.`);
  if (parent === undefined) return notices;
  const earlyMs = parent.startMs - startMs;
  const lateMs = parent.endMs === undefined ? 0 : startMs - parent.endMs;
  if (earlyMs > CLOCK_SLACK_MS) {
    notices.push(`It starts ${durationText(earlyMs)} before its parent: their clocks may differ.`);
  } else if (lateMs > CLOCK_SLACK_MS) {
    notices.push(`It starts ${durationText(lateMs)} after its parent ended.`);
  }
  return notices;
}
