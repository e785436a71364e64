/** A line of a file that is about to change. */
export interface DiffLine {
  readonly mark: " " | "+" | "-";
  readonly text: string;
  /** In the changed file; undefined for a line that goes. */
  readonly number: number | undefined;
}

/** More lines are compared from both ends only. */
const MAX_COMPARED = 1000;

/** The lines of a changed text, with those that went. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const lines: DiffLine[] = [];
  const add = (mark: DiffLine["mark"], text: string): void => {
    const last = lines.findLast(({ number }) => number !== undefined)?.number ?? 0;
    lines.push({ mark, text, number: mark === "-" ? undefined : last + 1 });
  };
  for (const text of b.slice(0, start)) add(" ", text);
  for (const [mark, text] of compare(a.slice(start, a.length - end), b.slice(start, b.length - end)))
    add(mark, text);
  for (const text of b.slice(b.length - end)) add(" ", text);
  return lines;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** By the longest common subsequence. */
function compare(a: readonly string[], b: readonly string[]): (readonly [DiffLine["mark"], string])[] {
  if (a.length > MAX_COMPARED || b.length > MAX_COMPARED)
    return [...a.map((text) => ["-", text] as const), ...b.map((text) => ["+", text] as const)];
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: (readonly [DiffLine["mark"], string])[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [old, now] = [a[i], b[j]];
    if (old !== undefined && old === now) {
      lines.push([" ", old]);
      i++;
      j++;
    } else if (old !== undefined && (now === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(["-", old]);
      i++;
    } else if (now !== undefined) {
      lines.push(["+", now]);
      j++;
    }
  }
  return lines;
}
