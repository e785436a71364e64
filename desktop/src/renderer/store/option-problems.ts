/** What the collector says of a value, without the key and the place that the row shows. */
export function problemText(problem: string): string {
  return problem
    .split("\n")
    .map((line) => {
      const rule = line.indexOf(": must ");
      const text = rule === -1 ? line.replace(/^[\w.]+: /, "") : line.slice(rule + 2);
      return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
    })
    .join(" ");
}

/** The problems by key, shown where someone edits: a rule across two keys is reported at one of them. */
export function problemsAtEdits(
  problems: Readonly<Record<string, string>>,
  edited: readonly string[],
): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(problems).map(([key, problem]) => {
      if (edited.includes(key)) return [key, problemText(problem)];
      const mentioned = edited.find((each) => problem.includes(each));
      return [mentioned ?? key, mentioned === undefined ? problemText(problem) : `${problem}.`];
    }),
  );
}
