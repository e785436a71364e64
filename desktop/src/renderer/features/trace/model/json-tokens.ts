/** A piece of JSON and its syntax role. */
export interface JsonToken {
  readonly text: string;
  readonly kind: "key" | "string" | "number" | "keyword" | "punctuation" | "";
}

const TOKEN =
  /("(?:[^"\\]|\\.|\\$)*(?:"|$))(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([{}[\],:]+)|([^"\d{}[\],:tfn-]+|.)/gs;

/** Splits formatted JSON into tokens. Text that is not JSON is kept; a string may lack its end. */
export function jsonTokens(json: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  for (const [, string, colon, number, keyword, punctuation, rest] of json.matchAll(TOKEN)) {
    if (string !== undefined) tokens.push({ text: string, kind: colon === undefined ? "string" : "key" });
    if (colon !== undefined) tokens.push({ text: colon, kind: "" });
    if (number !== undefined) tokens.push({ text: number, kind: "number" });
    if (keyword !== undefined) tokens.push({ text: keyword, kind: "keyword" });
    if (punctuation !== undefined) tokens.push({ text: punctuation, kind: "punctuation" });
    if (rest !== undefined) tokens.push({ text: rest, kind: "" });
  }
  return tokens;
}

/**
 * Splits a long text into chunks of about `size` characters, at line ends if possible, so that a browser lays out only
 * the visible ones.
 */
export function chunkText(text: string, size = 8000): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + size);
    if (end < text.length) {
      const line = text.lastIndexOf("\n", end - 1);
      if (line > start) end = line + 1;
      else if (isLowSurrogate(text.charCodeAt(end))) end++;
    }
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
