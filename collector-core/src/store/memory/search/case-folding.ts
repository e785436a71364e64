/**
 * Folds letter case: lower case first, then upper case. So `ß` equals `SS`, the final `ς` equals `σ`, and the Kelvin sign
 * equals `k`. ASCII costs two passes over the text.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase();
}

/** Case foldings of the characters beyond ASCII. */
interface Foldings {
  /** Characters by the one character that they fold into. */
  readonly single: ReadonlyMap<string, readonly string[]>;
  /** Characters that fold into several, such as `ß` and `ﬁ`. */
  readonly multiple: readonly { readonly character: string; readonly folded: string }[];
}

/** Code points of the scripts with letter case; the end is exclusive. */
const CASED_BLOCKS = [
  [0x80, 0x3000],
  [0xa600, 0xac00],
  [0xfb00, 0x10000],
  [0x10400, 0x11000],
  [0x11800, 0x11900],
  [0x16e00, 0x16f00],
  [0x1e900, 0x1ea00],
] as const;

let foldings: Foldings | undefined;

/** Computed on first use: folding twenty thousand characters takes some milliseconds. */
function allFoldings(): Foldings {
  if (foldings !== undefined) return foldings;
  const single = new Map<string, string[]>();
  const multiple: { character: string; folded: string }[] = [];
  let all = "";
  for (const [first, end] of CASED_BLOCKS)
    for (let code = first; code < end; code++) all += String.fromCodePoint(code);
  for (const [character] of all.matchAll(/\p{Changes_When_Casemapped}/gu)) {
    const folded = foldCase(character);
    if (folded === character) continue;
    if (Array.from(folded).length > 1) multiple.push({ character, folded });
    else single.set(folded, [...(single.get(folded) ?? []), character]);
  }
  return (foldings = { single, multiple });
}

/** Other characters beyond ASCII that fold into this one. */
export function foldsInto(character: string): readonly string[] {
  return allFoldings().single.get(character) ?? [];
}

/** Characters whose folding of several characters overlaps the folded text. */
export function partialFoldings(foldedText: string): readonly string[] {
  return allFoldings()
    .multiple.filter(({ folded }) => overlap(folded, foldedText))
    .map(({ character }) => character);
}

/** True if one text contains the other, or ends with a prefix of the other. */
function overlap(a: string, b: string): boolean {
  if (a.includes(b) || b.includes(a)) return true;
  for (let length = 1; length < Math.min(a.length, b.length); length++) {
    // eslint-disable-next-line obspan/no-uncopied-part -- compared, and not kept
    if (a.endsWith(b.slice(0, length)) || b.endsWith(a.slice(0, length))) return true;
  }
  return false;
}
