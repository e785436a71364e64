/** Enough for any width on a screen to be exact to the pixel. */
const HALVINGS = 16;

/**
 * Pixels of the bar of the largest amount, so that the parts fill the room: each is as wide as its bar,
 * and at least as wide as its text. All bars have one scale.
 */
export function longestBar(
  parts: readonly { readonly share: number; readonly textPx: number }[],
  roomPx: number,
): number {
  let low = 0;
  let high = Math.max(0, roomPx);
  for (let count = 0; count < HALVINGS; count++) {
    const middle = (low + high) / 2;
    const used = parts.reduce((sum, { share, textPx }) => sum + Math.max(textPx, share * middle), 0);
    if (used > roomPx) high = middle;
    else low = middle;
  }
  return low;
}
