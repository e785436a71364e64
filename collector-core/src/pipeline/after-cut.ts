/** A token with as many characters of base64 in a row may be part of a secret. */
const MIN_RUN = 16;
/** Characters of base64, base64url and JWT; a backslash, because a line break may be escaped. */
const RUN = new RegExp(String.raw`[\w+/=.\\-]{${MIN_RUN}}`);
/** Shorter tokens between those of a secret, such as `>` or `"` around each line. */
const MAX_BETWEEN_LENGTH = 4;
const MAX_BETWEEN = 2;
const TOKEN = /\S+/g;
const BLOCK_EDGE = /-----(BEGIN|END) [^\r\n]{0,60}?-----/g;

/**
 * The index after the secret that a cut may have split: a private key without its first line, or a token such as a JWT. No
 * pattern finds the rest of it.
 *
 * @param text - starts at the cut.
 * @param within - the secret begins before this index.
 */
export function afterCutSecret(text: string, within: number): number {
  const afterRun = endOfRun(text, within);
  return Math.max(afterRun, endOfBlock(text, afterRun));
}

/** The index after the last tokens of base64 in a row that begin before `within`; 0 without them. */
function endOfRun(text: string, within: number): number {
  let end = 0;
  /** Short tokens since the last one of base64. */
  let between = Infinity;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    if (found.index >= within && between > MAX_BETWEEN) break;
    const [token] = found;
    if (RUN.test(token)) {
      end = TOKEN.lastIndex;
      between = 0;
    } else between = token.length > MAX_BETWEEN_LENGTH ? Infinity : between + 1;
  }
  return end;
}

/** The index after the first end line without a begin line, after an index; 0 without one. */
function endOfBlock(text: string, from: number): number {
  BLOCK_EDGE.lastIndex = from;
  const edge = BLOCK_EDGE.exec(text);
  return edge?.[1] === "END" ? BLOCK_EDGE.lastIndex : 0;
}
