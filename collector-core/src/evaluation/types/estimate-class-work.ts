/**
 * How much work the character classes of a regular expression are before it can be searched with, in code points that
 * are looked at: some 50 ns each. A range is looked at point by point where letter case does not count, and a class of
 * Unicode is a table. Repetitions do not multiply it: a class is read once.
 */
export function estimateClassWork(expression: string): number {
  // Where the flag holds is not told apart: an estimate may be too high.
  const isFolding = /\(\?[a-zA-Z-]*?i/.test(expression);
  let work = 0;
  for (let at = 0; at < expression.length;) {
    const element = readElement(expression, at);
    at = element.end;
    if (element.point !== OPENING_BRACKET || element.isEscaped) work += element.work;
    else {
      const read = readClass(expression, at, isFolding);
      work += read.work;
      at = read.end;
    }
  }
  return work;
}

/** Code points whose letter case may differ lie between these. */
const FIRST_FOLDING = 0x41;
const LAST_FOLDING = 0x1e943;
const LAST_CODE_POINT = 0x10ffff;
const OPENING_BRACKET = 0x5b;
/** `\pL` in comparison to a code point; and `\w`, or `[:alpha:]`. */
const UNICODE_CLASS_WORK = 7000;
const NAMED_CLASS_WORK = 300;

const ESCAPE =
  /\\(?:x\{(?<braced>[0-9a-fA-F]{1,8})\}|x(?<hex>[0-9a-fA-F]{2})|(?<octal>[0-7]{1,3})|(?<unicode>[pP](?:\{[^}\]]*\}|.)?)|(?<named>[dDsSwW])|(?<plain>[^a-zA-Z0-9])|[^]?)/uy;

interface Element {
  readonly end: number;
  /** Undefined where it is not told, or is a class of its own. */
  readonly point: number | undefined;
  readonly isEscaped: boolean;
  readonly work: number;
}

function readElement(expression: string, at: number): Element {
  const point = expression.codePointAt(at) ?? 0;
  if (expression[at] !== "\\")
    return { end: at + (point > 0xffff ? 2 : 1), point, isEscaped: false, work: 1 };
  ESCAPE.lastIndex = at;
  const match = ESCAPE.exec(expression);
  const { braced, hex, octal, unicode, named, plain } = match?.groups ?? {};
  const digits = braced ?? hex;
  return {
    end: at + (match?.[0].length ?? 1),
    point:
      digits !== undefined
        ? Number.parseInt(digits, 16)
        : octal !== undefined
          ? Number.parseInt(octal, 8)
          : plain?.codePointAt(0),
    isEscaped: true,
    work: unicode !== undefined ? UNICODE_CLASS_WORK : named !== undefined ? NAMED_CLASS_WORK : 1,
  };
}

/** Reads a class from behind its bracket; the first one that closes may be one of its characters. */
function readClass(expression: string, start: number, isFolding: boolean): { end: number; work: number } {
  let at = expression[start] === "^" ? start + 1 : start;
  const first = at;
  let work = 1;
  while (at < expression.length && (expression[at] !== "]" || at === first)) {
    const named = expression.startsWith("[:", at) ? expression.indexOf(":]", at + 2) : -1;
    if (named >= 0) {
      at = named + 2;
      work += NAMED_CLASS_WORK;
      continue;
    }
    const low = readElement(expression, at);
    at = low.end;
    work += low.work;
    if (expression[at] !== "-" || at + 1 >= expression.length || expression[at + 1] === "]") continue;
    const high = readElement(expression, at + 1);
    at = high.end;
    work += high.work + (isFolding ? foldingPoints(low.point ?? 0, high.point ?? LAST_CODE_POINT) : 0);
  }
  return { end: at + 1, work };
}

function foldingPoints(low: number, high: number): number {
  return Math.max(0, Math.min(high, LAST_FOLDING) - Math.max(low, FIRST_FOLDING) + 1);
}
