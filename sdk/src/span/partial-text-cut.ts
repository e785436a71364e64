/** A word with as many characters of base64 in a row may be part of a secret. */
const RUN = /[\w+/=.\\-]{16}/;
/** Words before the cut that are looked at. */
const CONTEXT = 1024;
/** Shorter words between those of a secret, such as `>` before each line. */
const MAX_BETWEEN_LENGTH = 4;
const MAX_BETWEEN = 2;

/**
 * The index after the words of base64 that a cut goes through, such as a JWT or the lines of a key: no mask and no redaction
 * finds the rest of a secret.
 */
export function afterBase64(text: string, cut: number): number {
  let end = cut;
  /** Short words since the last one of base64. */
  let between = Infinity;
  const words = /\S+/g;
  words.lastIndex = Math.max(0, cut - CONTEXT);
  for (let word = words.exec(text); word !== null; word = words.exec(text)) {
    if (word.index >= cut && between > MAX_BETWEEN) break;
    if (RUN.test(word[0])) {
      end = Math.max(cut, words.lastIndex);
      between = 0;
    } else between = word[0].length > MAX_BETWEEN_LENGTH ? Infinity : between + 1;
  }
  return end;
}
