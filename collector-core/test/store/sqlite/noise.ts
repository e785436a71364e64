/** A text of letters that does not compress, the same for each number. */
export function noiseOf(seed: number, length: number): string {
  let state = seed * 2654435761 + 12345;
  let text = "";
  while (text.length < length) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += (state >>> 8).toString(36).padStart(5, "k");
  }
  return text.slice(0, length);
}
