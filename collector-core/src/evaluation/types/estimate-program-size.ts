/**
 * Estimates an upper bound of the compiled size of a regular expression in instructions: the number of elements, each
 * multiplied by its repetition counts. The size must be known before compilation, because the nine characters of
 * `\pL{1000}` compile to a thousand instructions with a table each.
 */
export function estimateProgramSize(expression: string): number {
  return new SizeReader(expression).read();
}

const COUNT = /\{(\d{1,6})(?:,(\d{0,6}))?\}/y;
const ESCAPE = /\\(?:[pP](?:\{[^}]*\}|.)|x\{[^}]*\}|Q[^]*?(?:\\E|$)|[^])/uy;

/** A repetition of what may be empty needs two branches, and so does an alternative that is empty. */
const BRANCHING: ReadonlySet<string> = new Set(["*", "+", "?", "|"]);

class SizeReader {
  readonly #expression: string;
  #at = 0;

  constructor(expression: string) {
    this.#expression = expression;
  }

  /** Iterative, because an expression may nest a thousand groups. */
  read(): number {
    /** Open groups: the size before the last element, and the size of the last element. */
    const open: { before: number; last: number }[] = [];
    let before = 0;
    let last = 0;
    const add = (size: number): void => {
      before += last;
      last = size;
    };
    while (this.#at < this.#expression.length) {
      const character = this.#expression[this.#at];
      const count = this.#match(COUNT);
      if (count !== undefined) {
        // An optional repetition needs one more instruction.
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
        // Its beginning, its end, and an instruction that does nothing if it is empty.
        before = 3;
        last = 0;
      } else if (character === ")") {
        const size = before + last;
        ({ before, last } = open.pop() ?? { before: 0, last: 0 });
        add(size);
      } else if (character === "[") {
        this.#skipClass();
        add(1);
      } else add(BRANCHING.has(character ?? "") ? 2 : 1);
    }
    return open.reduce((size, group) => size + group.before, before + last);
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#expression) ?? undefined;
    if (match !== undefined) this.#at += match[0].length;
    return match;
  }

  /** Skips a class. A closing bracket in first position is a literal character. */
  #skipClass(): void {
    const expression = this.#expression;
    if (expression[this.#at] === "^") this.#at++;
    if (expression[this.#at] === "]") this.#at++;
    while (this.#at < expression.length && expression[this.#at] !== "]") {
      const named = expression.startsWith("[:", this.#at) ? expression.indexOf(":]", this.#at + 2) : -1;
      this.#at = named >= 0 ? named + 2 : this.#at + (expression[this.#at] === "\\" ? 2 : 1);
    }
    this.#at++;
  }
}
