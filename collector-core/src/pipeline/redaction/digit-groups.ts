import type { TextMatch } from "./pattern.js";

/** Digits without anything between them. */
export type DigitGroup = TextMatch;

const GROUP = /\d+/g;

/**
 * The groups of digits of a text, those together that have no more than one separator between them:
 * `4111 1111 1111 1111` is a run of four groups.
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
