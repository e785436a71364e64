import type { Flame, FlameFrame } from "./flame.js";
import type { Measure } from "./measured-spans.js";

/** A frame as it is drawn. */
export interface FrameBox {
  readonly frame: FlameFrame;
  readonly left: number;
  readonly width: number;
  /** The part of the width that is not in its children, at its right end. */
  readonly ownWidth: number;
  /** Contains the frame that is zoomed to. */
  readonly isAround: boolean;
}

/** Frames of one parent that are too narrow to be drawn by themselves. */
export interface SmallFrames {
  /** Frames, and the first of them. */
  readonly count: number;
  readonly first: FlameFrame;
  readonly amount: number;
  readonly depth: number;
  readonly left: number;
  readonly width: number;
}

export interface FlameLayout {
  /** Parents before children. */
  readonly boxes: readonly FrameBox[];
  readonly small: readonly SmallFrames[];
  /** Number of rows. */
  readonly depth: number;
}

export interface FlameLayoutOptions {
  readonly measure: Measure;
  /** The frame that has the full width; undefined for the whole run. */
  readonly base: FlameFrame | undefined;
  readonly width: number;
  /** Narrower frames are drawn as one. */
  readonly minWidth: number;
}

/** A frame with the width that is left for it. */
interface Placed {
  readonly frame: FlameFrame;
  readonly left: number;
  readonly width: number;
}

/**
 * Places the frames. A frame is as wide as its share of its siblings in what their parent has left for its children: siblings
 * that ran at the same time are narrower together.
 */
export function flameLayout({ roots }: Flame, options: FlameLayoutOptions): FlameLayout {
  const { measure, base, width, minWidth } = options;
  const boxes: FrameBox[] = [];
  const small: SmallFrames[] = [];
  const waiting: Placed[] = [];
  let depth = 0;

  const place = (frames: readonly FlameFrame[], left: number, room: number): void => {
    const sum = frames.reduce((total, frame) => total + frame.total[measure], 0);
    if (sum <= 0) return;
    let at = left;
    const narrow: FlameFrame[] = [];
    const placed: Placed[] = [];
    for (const frame of frames) {
      const share = (room * frame.total[measure]) / sum;
      if (share < minWidth) {
        if (share > 0) narrow.push(frame);
        continue;
      }
      placed.push({ frame, left: at, width: share });
      at += share;
    }
    // From the end, because the stack is emptied from there.
    for (const item of placed.toReversed()) waiting.push(item);
    const [first] = narrow;
    const rest = left + room - at;
    if (first === undefined || rest < minWidth) return;
    const amount = narrow.reduce((total, frame) => total + frame.total[measure], 0);
    depth = Math.max(depth, first.depth + 1);
    small.push({ count: narrow.length, first, amount, depth: first.depth, left: at, width: rest });
  };

  const around: FlameFrame[] = [];
  for (let frame = base?.parent; frame !== undefined; frame = frame.parent) around.push(frame);
  for (const frame of around.toReversed()) boxes.push({ frame, left: 0, width, ownWidth: 0, isAround: true });
  if (base === undefined) place(roots, 0, width);
  else waiting.push({ frame: base, left: 0, width });

  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    const { frame, left, width: own } = item;
    const inside = own * insideShare(frame, measure);
    boxes.push({ frame, left, width: own, ownWidth: own - inside, isAround: false });
    depth = Math.max(depth, frame.depth + 1);
    if (inside >= minWidth) place(frame.children, left, inside);
  }
  return { boxes, small, depth };
}

/** The part of a frame that is in its children. */
function insideShare({ total, own, children }: FlameFrame, measure: Measure): number {
  if (children.length === 0 || total[measure] <= 0) return 0;
  return Math.min(1, Math.max(0, (total[measure] - own[measure]) / total[measure]));
}
