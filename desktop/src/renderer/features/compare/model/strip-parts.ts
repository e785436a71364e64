import type { StepPairAnswer } from "@obspan/collector-core/api-schema";
import { differs } from "./step-words.js";

/** A step of the strip, or equal steps that follow each other. */
export interface StripPart {
  /** Index of the first step, and of the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** More steps than that do not fit one by one. */
const MOST_SINGLE = 14;

/** The parts of the strip: every step, or, of many steps, every one that differs and the equal ones between them. */
export function stripParts(steps: readonly StepPairAnswer[]): StripPart[] {
  const parts: StripPart[] = [];
  for (const [index, pair] of steps.entries()) {
    const last = parts.at(-1);
    const isJoined =
      steps.length > MOST_SINGLE && last !== undefined && !differs(pair) && isEqualAt(steps, last.from);
    if (isJoined) parts[parts.length - 1] = { from: last.from, to: index + 1 };
    else parts.push({ from: index, to: index + 1 });
  }
  return parts;
}

function isEqualAt(steps: readonly StepPairAnswer[], index: number): boolean {
  const pair = steps[index];
  return pair !== undefined && !differs(pair);
}

/** Parts that are drawn at most. */
const MOST_DRAWN = 160;

/** Which parts are drawn: all, or of very many those around the selected one. */
export function drawnParts(count: number, selected: number): StripPart {
  if (count <= MOST_DRAWN) return { from: 0, to: count };
  const from = Math.max(0, Math.min(count - MOST_DRAWN, selected - MOST_DRAWN / 2));
  return { from, to: from + MOST_DRAWN };
}
