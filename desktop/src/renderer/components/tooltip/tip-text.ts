/** A tooltip: what an element is or does, and the keys that do the same. */
export interface Tip {
  readonly text: string;
  readonly keys: readonly string[];
}

/** Longer texts are cut: a tooltip cannot be scrolled. */
const MAX_LENGTH = 1200;

/** Reads `data-tip`: keys follow the text after two spaces, as in `Newer trace  K`. */
export function readTip(value: string): Tip {
  const at = value.lastIndexOf("  ");
  const keys = at === -1 ? "" : value.slice(at + 2);
  const areKeys = keys !== "" && keys.length <= MAX_KEYS && !keys.includes("\n");
  const text = areKeys ? value.slice(0, at) : value;
  return {
    text: text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text,
    keys: areKeys ? keys.split(" ") : [],
  };
}
const MAX_KEYS = 8;

/** The place of a tooltip near its element, inside the window. */
export interface TipPlace {
  readonly left: number;
  readonly top: number;
}

/** Pixels between the element and the tooltip, and to the edges of the window. */
const GAP = 6;
const MARGIN = 8;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Below the element, or above it if there is no room; centred, but inside the window. */
export function placeTip(
  element: Box,
  tip: Pick<Box, "width" | "height">,
  view: Pick<Box, "width" | "height">,
): TipPlace {
  const below = element.top + element.height + GAP;
  const hasRoomBelow = below + tip.height + MARGIN <= view.height;
  const above = Math.max(MARGIN, element.top - GAP - tip.height);
  const centred = element.left + element.width / 2 - tip.width / 2;
  return {
    left: Math.round(Math.max(MARGIN, Math.min(centred, view.width - tip.width - MARGIN))),
    top: Math.round(hasRoomBelow ? below : above),
  };
}
