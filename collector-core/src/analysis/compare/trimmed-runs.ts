import type { TokenRun } from "./slide-changes.js";

/** What both lists begin and end with is the same; what lies between is compared. */
export function trimmedRuns(
  a: readonly string[],
  b: readonly string[],
  compare: (a: readonly string[], b: readonly string[]) => readonly TokenRun[],
): TokenRun[] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [toA, toB] = [a.length - end, b.length - end];
  const runs: TokenRun[] = [
    { same: true, a: a.slice(0, start), b: b.slice(0, start) },
    ...(toA === start && toB === start ? [] : compare(a.slice(start, toA), b.slice(start, toB))),
    { same: true, a: a.slice(toA), b: b.slice(toB) },
  ];
  return runs.filter((run) => run.a.length + run.b.length > 0);
}
