/** What may come next at a place in JSON. */
type Expected = "value" | "firstKey" | "key" | "colon" | "firstItem" | "separator";

const STRING = /"(?:[^"\\\n]|\\.)*("|\\?$)/y;
const NUMBER = /-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][+-]?\d*)?/y;
const SPACE = /[ \t\r\n]*/y;
const WORDS = ["true", "false", "null"] as const;

/** Longer texts are not examined, because that would block the page. */
const MAX_EXAMINED = 500_000;

/**
 * Whether a text is the beginning of a JSON object or array, as a preview that was cut leaves it. The whole of it counts,
 * and at least one value must be complete or under way: `[INFO] started` and `{name}` are other texts.
 */
export function isJsonPrefix(text: string): boolean {
  if (text.length > MAX_EXAMINED) return false;
  const open: ("object" | "array")[] = [];
  let expected: Expected = "value";
  let at = skipped(SPACE, text, 0);
  if (text[at] !== "{" && text[at] !== "[") return false;
  for (; at < text.length; at = skipped(SPACE, text, at)) {
    const character = text[at];
    const inside = open.at(-1);
    if (expected === "colon") {
      if (character !== ":") return false;
      expected = "value";
      at++;
    } else if (expected === "separator") {
      if (inside === undefined) return false;
      if (character === ",") expected = inside === "object" ? "key" : "value";
      else if (character === (inside === "object" ? "}" : "]")) open.pop();
      else return false;
      at++;
    } else if (
      (expected === "firstKey" && character === "}") ||
      (expected === "firstItem" && character === "]")
    ) {
      open.pop();
      expected = "separator";
      at++;
    } else if (expected === "key" || expected === "firstKey") {
      if (character !== '"') return false;
      at = skipped(STRING, text, at);
      if (at === 0) return false;
      expected = "colon";
    } else if (character === "{" || character === "[") {
      open.push(character === "{" ? "object" : "array");
      expected = character === "{" ? "firstKey" : "firstItem";
      at++;
    } else {
      const end = scalarEnd(text, at);
      if (end === undefined) return false;
      expected = "separator";
      at = end;
    }
  }
  return text.trim().length > 1;
}

/** The end of the string, number or word at a place; it may lack its rest at the end of the text. */
function scalarEnd(text: string, at: number): number | undefined {
  if (text[at] === '"') return skipped(STRING, text, at) || undefined;
  const word = WORDS.find((each) => text.startsWith(each, at) || each.startsWith(text.slice(at)));
  if (word !== undefined) return Math.min(text.length, at + word.length);
  const end = skipped(NUMBER, text, at);
  return end > at ? end : undefined;
}

/** Where the match of a sticky expression ends; 0 if it does not match. */
function skipped(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : 0;
}

/** Indents JSON that may lack its end, by two spaces. Strings stay as they are. */
export function indentJson(text: string): string {
  let depth = 0;
  let result = "";
  for (const [piece] of text.matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{[]\s*[\]}]|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (piece === "{" || piece === "[") result += piece + lineBreak(++depth);
    else if (piece === "}" || piece === "]") result += lineBreak(--depth) + piece;
    else if (piece === ",") result += piece + lineBreak(depth);
    else if (piece === ":") result += ": ";
    else result += piece.startsWith('"') ? piece : piece.replaceAll(/\s/g, "");
  }
  return result.trimEnd();
}

function lineBreak(depth: number): string {
  return `\n${"  ".repeat(Math.max(0, depth))}`;
}
