import type { TextMatch } from "./pattern.js";

/** Consecutive digits. */
export type DigitGroup = TextMatch;

const GROUP = /\d+/g;

/**
 * Returns the runs of digit groups in a text. Groups of a run have a single separator in between: `4111 1111 1111
 * 1111` is a run of four groups.
 */
export function digitGroups(text: string, separator: RegExp): DigitGroup[][] {
  const runs: DigitGroup[][] = [];
  let run: DigitGroup[] = [];
  GROUP.lastIndex = 0;
  for (let match = GROUP.exec(text); match !== null; match = GROUP.exec(text)) {
    const group = { start: match.index, end: GROUP.lastIndex };
    const previous = run.at(-1);
    const isNext = previous?.end === group.start - 1 && separator.test(text[previous.end] ?? "");
    if (isNext) run.push(group);
    else {
      run = [group];
      runs.push(run);
    }
  }
  return runs;
}
