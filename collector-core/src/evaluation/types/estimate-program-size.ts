/**
 * How many instructions a regular expression compiles to, at most: every element once, times the counts of all
 * repetitions that it stands in. `\pL{1000}` is nine characters and a thousand instructions, each with a table of its own:
 * it has to be known before the expression is compiled.
 */
export function estimateProgramSize(expression: string): number {
  return new SizeReader(expression).read();
}

const COUNT = /\{(\d{1,6})(?:,(\d{0,6}))?\}/y;
const ESCAPE = /\\(?:[pP](?:\{[^}]*\}|.)|x\{[^}]*\}|Q[^]*?(?:\\E|$)|[^])/uy;

class SizeReader {
  #at = 0;

  constructor(private readonly expression: string) {}

  /** Without recursion: an expression may open a thousand groups. */
  read(): number {
    /** Sizes of the groups that are open: what they have before the last element, and that element. */
    const open: { before: number; last: number }[] = [];
    let before = 0;
    let last = 0;
    const add = (size: number): void => {
      before += last;
      last = size;
    };
    while (this.#at < this.expression.length) {
      const character = this.expression[this.#at];
      const count = this.#match(COUNT);
      if (count !== undefined) {
        // What may be left out has an instruction that says so.
        last =
          count[2] === undefined
            ? last * Number(count[1])
            : (last + 1) * (1 + Math.max(Number(count[1]), Number(count[2])));
        continue;
      }
      if (character === "\\") {
        const escape = this.#match(ESCAPE)?.[0] ?? "";
        if (escape === "") this.#at++;
        add(escape.startsWith("\\Q") ? escape.length : 1);
        continue;
      }
      this.#at++;
      if (character === "(") {
        open.push({ before: before + last, last: 0 });
        before = 2;
        last = 0;
      } else if (character === ")") {
        const size = before + last;
        ({ before, last } = open.pop() ?? { before: 0, last: 0 });
        add(size);
      } else if (character === "[") {
        this.#skipClass();
        add(1);
      } else add(1);
    }
    return open.reduce((size, group) => size + group.before, before + last);
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.expression) ?? undefined;
    if (match !== undefined) this.#at += match[0].length;
    return match;
  }

  /** To behind the bracket that closes; the first one of a class may be one of its characters. */
  #skipClass(): void {
    const { expression } = this;
    if (expression[this.#at] === "^") this.#at++;
    if (expression[this.#at] === "]") this.#at++;
    while (this.#at < expression.length && expression[this.#at] !== "]") {
      const named = expression.startsWith("[:", this.#at) ? expression.indexOf(":]", this.#at + 2) : -1;
      this.#at = named >= 0 ? named + 2 : this.#at + (expression[this.#at] === "\\" ? 2 : 1);
    }
    this.#at++;
  }
}
