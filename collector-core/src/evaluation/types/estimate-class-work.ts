/**
 * Estimates the work of compiling the character classes of a regular expression, in visited code points of about 50
 * ns each. Case-insensitive ranges are expanded point by point, and Unicode classes are tables. Repetitions do not
 * count: each class is compiled once.
 */
export function estimateClassWork(expression: string): number {
  // Ignores the scope of the flag, so that the estimate may be too high.
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

/** First and last code point with case folding. */
const FIRST_FOLDING = 0x41;
const LAST_FOLDING = 0x1e943;
const LAST_CODE_POINT = 0x10ffff;
const OPENING_BRACKET = 0x5b;
/** Work of a Unicode class such as `\pL`. */
const UNICODE_CLASS_WORK = 7000;
/** Work of `\w` or `[:alpha:]`. */
const NAMED_CLASS_WORK = 300;

const ESCAPE =
  /\\(?:x\{(?<braced>[0-9a-fA-F]{1,8})\}|x(?<hex>[0-9a-fA-F]{2})|(?<octal>[0-7]{1,3})|(?<unicode>[pP](?:\{[^}\]]*\}|.)?)|(?<named>[dDsSwW])|(?<plain>[^a-zA-Z0-9])|[^]?)/uy;

interface Element {
  readonly end: number;
  /** Undefined for a class, and for an escape of unknown value. */
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

/** Reads a class after its opening bracket. A closing bracket in first position is a literal character. */
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
