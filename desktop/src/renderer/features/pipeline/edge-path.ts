/** Position and size of a stage, in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A connection between two stages, with its rate per second. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly rate: number;
  readonly isOff?: boolean;
}

/** The middle of a stage's header. Edges end there, so that stages of any height lie on one line. */
const HEAD_MIDDLE = 18;
const LABEL_ABOVE = 20;
const BESIDE = 26;
/** A path around other stages: how far it keeps from the stages it joins, and the radius of its corners. */
const ASIDE = 12;
const ABOVE = 28;
const CORNER = 8;

/**
 * The SVG path between two stages and the position of its label. It runs sideways if the second stage is to the right,
 * around the others if it is below and to the left, otherwise down, as in a narrow layout.
 */
export function edgePath(from: Box, to: Box): { path: string; label: { x: number; y: number } } {
  const isSideways = to.left >= from.left + from.width;
  if (!isSideways && to.left < from.left) return aroundPath(from, to);
  if (!isSideways) {
    const aside = Math.min(from.width, to.width) / 2;
    const x1 = from.left + aside;
    const x2 = to.left + aside;
    const y1 = from.top + from.height;
    const middle = (y1 + to.top) / 2;
    const path =
      x1 === x2 ? `M${x1} ${y1}V${to.top}` : `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${to.top}`;
    return { path, label: { x: x2 + BESIDE, y: to.top - LABEL_ABOVE } };
  }
  const x1 = from.left + from.width;
  const y1 = from.top + HEAD_MIDDLE;
  const x2 = to.left;
  const y2 = to.top + HEAD_MIDDLE;
  const middle = (x1 + x2) / 2;
  return {
    path: y1 === y2 ? `M${x1} ${y1}H${x2}` : `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`,
    label: { x: y1 === y2 ? middle : x2 - 20, y: (y1 === y2 ? y1 : y2) - LABEL_ABOVE },
  };
}

/** Out to the right, down beside the stages of the row, and back above the next row. */
function aroundPath(from: Box, to: Box): ReturnType<typeof edgePath> {
  const x1 = from.left + from.width;
  const y1 = from.top + HEAD_MIDDLE;
  const x = x1 + ASIDE;
  const y = to.top - ABOVE;
  const x2 = to.left + to.width / 2;
  return {
    path: [
      `M${x1} ${y1}H${x - CORNER}Q${x} ${y1} ${x} ${y1 + CORNER}`,
      `V${y - CORNER}Q${x} ${y} ${x - CORNER} ${y}`,
      `H${x2 + CORNER}Q${x2} ${y} ${x2} ${y + CORNER}V${to.top}`,
    ].join(""),
    label: { x: x2 + BESIDE, y: to.top - LABEL_ABOVE },
  };
}
