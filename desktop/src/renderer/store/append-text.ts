/** Starts a text whose beginning is left out. */
const CUT = "…";
/** Characters at the start of a text by which it is found in the shown one. */
const PROBE = 200;
/** Longest shown text, in characters. */
const MAX_LENGTH = 100_000;

/**
 * Joins the end of a text that grows with what is shown of it, so that its beginning stays where it is.
 *
 * @param end - the whole text so far, or its last part after an ellipsis.
 */
export function appendText(shown: string, end: string): string {
  if (!end.startsWith(CUT) || shown === "") return end;
  const part = end.slice(CUT.length);
  const at = shown.lastIndexOf(part.slice(0, PROBE));
  // The texts do not overlap: something between them is missing.
  if (at < 0) return end;
  const joined = shown.slice(0, at) + part;
  return joined.length <= MAX_LENGTH ? joined : end;
}
