/** Share of the width for names, and the largest width without a choice. */
const NAME_SHARE = 0.344;
const USUAL_MAX = 360;
/** Smallest width of the names. */
export const NAME_MIN = 120;
const USUAL_MIN = 176;
/** Width that the bars keep. */
const TRACK_MIN = 160;

/** The width of the names in the timeline, in pixels. */
export function nameWidthIn(viewWidth: number, chosen: number | undefined): number {
  if (chosen !== undefined) return clampNameWidth(chosen, viewWidth);
  return Math.round(Math.min(USUAL_MAX, Math.max(USUAL_MIN, viewWidth * NAME_SHARE)));
}

/** A width chosen on a wide screen leaves room for the bars on a narrow one. */
export function clampNameWidth(wanted: number, viewWidth: number): number {
  return Math.round(Math.max(NAME_MIN, Math.min(wanted, viewWidth - TRACK_MIN)));
}
