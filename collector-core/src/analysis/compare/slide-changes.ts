import { isWord } from "./word-tokens.js";

/** Tokens in both texts, or those that replace each other. */
export interface TokenRun {
  readonly same: boolean;
  readonly a: readonly string[];
  readonly b: readonly string[];
}

/** Places that are tried for a change. */
const MAX_SLIDES = 200;

/**
 * Moves what was only inserted or only removed to the place where it reads best. Where a change begins or ends with the words
 * around it, it has several places: `account[. See below].` is better read as `account.[ See below.]`.
 */
export function slideChanges(runs: readonly TokenRun[]): TokenRun[] {
  const slid = [...runs];
  for (let index = 1; index + 1 < slid.length; index++) {
    const [before, change, after] = slid.slice(index - 1, index + 2);
    if (before === undefined || change === undefined || after === undefined) continue;
    if (change.same || !before.same || !after.same || change.a.length * change.b.length > 0) continue;
    const tokens = change.a.length > 0 ? change.a : change.b;
    const by = bestSlide(before.a, tokens, after.a);
    if (by === 0) continue;
    const moved = by > 0 ? after.a.slice(0, by) : before.a.slice(by);
    const inBefore = by > 0 ? [...before.a, ...moved] : before.a.slice(0, by);
    const inChange = by > 0 ? [...tokens.slice(by), ...moved] : [...moved, ...tokens.slice(0, by)];
    const inAfter = by > 0 ? after.a.slice(by) : [...moved, ...after.a];
    slid[index - 1] = sameRun(inBefore);
    slid[index] = {
      same: false,
      a: change.a.length > 0 ? inChange : [],
      b: change.b.length > 0 ? inChange : [],
    };
    slid[index + 1] = sameRun(inAfter);
  }
  return slid.filter(({ a, b }) => a.length + b.length > 0);
}

function sameRun(tokens: readonly string[]): TokenRun {
  return { same: true, a: tokens, b: tokens };
}

/** By how many tokens a change is moved: positive to the end of the text. */
function bestSlide(before: readonly string[], change: readonly string[], after: readonly string[]): number {
  const longest = Math.min(MAX_SLIDES, change.length);
  let best = { by: 0, score: scoreOf(before.at(-1), change[0], change.at(-1)) };
  for (let by = 1; by <= Math.min(longest, after.length) && after[by - 1] === change[by - 1]; by++) {
    const score = scoreOf(after[by - 1], change[by] ?? after[0], after[by - 1]);
    if (score > best.score) best = { by, score };
  }
  for (let by = 1; by <= Math.min(longest, before.length); by++) {
    const moved = before[before.length - by];
    if (moved !== change[change.length - by]) break;
    const score = scoreOf(
      before[before.length - by - 1],
      moved,
      change[change.length - by - 1] ?? before.at(-1),
    );
    if (score > best.score) best = { by: -by, score };
  }
  return best.by;
}

/** How well a change reads: as whole lines, then as what follows a word or a sentence. */
function scoreOf(before: string | undefined, first: string | undefined, last: string | undefined): number {
  if ((before === undefined || before.endsWith("\n")) && last?.endsWith("\n") === true) return 4;
  if (first !== undefined && !isWord(first)) return 3;
  if (first === "," || first === ";") return 2;
  return last !== undefined && !isWord(last) ? 1 : 0;
}
