/**
 * Letter case is looked over as this does: lower case first, then upper. So `ß` equals `SS`, the final `ς` equals `σ`,
 * and the Kelvin sign equals `k`. ASCII costs two passes over the text and no more.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase();
}

/** Which characters beyond ASCII fold into what. */
interface Foldings {
  /** By what they become, where that is one character. */
  readonly single: ReadonlyMap<string, readonly string[]>;
  /** Those that become several, such as `ß` and `ﬁ`. */
  readonly multiple: readonly { readonly character: string; readonly folded: string }[];
}

/** Where the scripts are that have letter case, each with the first code point that follows. */
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

/** Made when it is first needed: a look at twenty thousand characters takes some milliseconds. */
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

/** Characters beyond ASCII, other than it, that fold into this one. */
export function foldsInto(character: string): readonly string[] {
  return allFoldings().single.get(character) ?? [];
}

/** Characters that fold into several, of which a match of the folded text may begin, end or stand in the middle. */
export function partialFoldings(foldedText: string): readonly string[] {
  return allFoldings()
    .multiple.filter(({ folded }) => overlap(folded, foldedText))
    .map(({ character }) => character);
}

/** True where one holds the other, or ends as the other begins. */
function overlap(a: string, b: string): boolean {
  if (a.includes(b) || b.includes(a)) return true;
  for (let length = 1; length < Math.min(a.length, b.length); length++) {
    // eslint-disable-next-line obspan/no-uncopied-part -- compared, and not kept
    if (a.endsWith(b.slice(0, length)) || b.endsWith(a.slice(0, length))) return true;
  }
  return false;
}
