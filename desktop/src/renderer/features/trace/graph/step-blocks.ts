import { isFailure, type SpanNode } from "@obspan/collector-core/analysis";

/** Size of the drawing in its own units. */
export const STRIP_WIDTH = 2000;
export const STRIP_HEIGHT = 8;
const GAP = 6;
const LEAST_WIDTH = 4;

/** The steps of a run side by side. */
export interface StepBlocks {
  /** All steps of one colour in one path: thousands of elements would lay out slowly. */
  readonly paths: readonly { readonly kind: string; readonly path: string }[];
  /** Where each step ends. */
  readonly ends: readonly number[];
}

/** Steps one after the other, each as wide as its share of the time of all. */
export function stepBlocks(steps: readonly SpanNode[], nowMs: number): StepBlocks {
  const gap = Math.min(GAP, STRIP_WIDTH / 4 / Math.max(1, steps.length));
  const least = Math.min(LEAST_WIDTH, STRIP_WIDTH / 4 / Math.max(1, steps.length));
  const msOf = ({ startMs, endMs }: SpanNode): number => Math.max(0, (endMs ?? nowMs) - startMs);
  const total = steps.reduce((sum, step) => sum + msOf(step), 0);
  const room = STRIP_WIDTH - steps.length * (gap + least);
  const paths = new Map<string, string[]>();
  const ends: number[] = [];
  let left = 0;
  for (const step of steps) {
    const width = least + (total === 0 ? room / steps.length : (room * msOf(step)) / total);
    const kind = isFailure(step.span) ? "error" : step.span.span_type;
    const pieces = paths.get(kind) ?? [];
    paths.set(kind, pieces);
    pieces.push(`M${left.toFixed(1)} 0h${width.toFixed(1)}v${STRIP_HEIGHT}h-${width.toFixed(1)}z`);
    left += width + gap;
    ends.push(left);
  }
  return { paths: [...paths].map(([kind, pieces]) => ({ kind, path: pieces.join("") })), ends };
}

/** The step at a place of the strip. */
export function stepAt({ ends }: StepBlocks, share: number): number {
  const index = ends.findIndex((end) => end >= share * STRIP_WIDTH);
  return index < 0 ? ends.length - 1 : index;
}
