/** Decodes ASCII characters that are written as a JSON or JavaScript escape or as an HTML entity. */

/** Common named entities. */
const ENTITIES = new Map([
  ["commat", "@"],
  ["period", "."],
  ["colon", ":"],
  ["semi", ";"],
  ["equals", "="],
  ["plus", "+"],
  ["lowbar", "_"],
  ["sol", "/"],
  ["bsol", "\\"],
  ["lpar", "("],
  ["rpar", ")"],
  ["quot", '"'],
  ["apos", "'"],
  ["lt", "<"],
  ["gt", ">"],
  ["amp", "&"],
  ["nbsp", " "],
  ["hyphen", "-"],
  ["dash", "-"],
  ["ndash", "-"],
  ["num", "#"],
  ["percnt", "%"],
  ["dollar", "$"],
]);

/** JSON within JSON has several backslashes. */
const ESCAPE = new RegExp(
  String.raw`\\{1,4}(?:u00([2-7][\da-f])|x([2-7][\da-f]))|&(?:#0{0,5}(\d{2,3})|#x0{0,5}([2-7][\da-f])|(${[...ENTITIES.keys()].join("|")}));`,
  "gi",
);

/** A text with decoded escapes. */
export interface DecodedText {
  readonly text: string;
  /** Position of each character in the original text, followed by the length of the original text. */
  readonly offsets: Int32Array;
}

/** Decodes the escapes of ASCII characters. Leaves other escapes unchanged. Returns undefined without such escapes. */
export function decodeEscapes(text: string): DecodedText | undefined {
  ESCAPE.lastIndex = 0;
  // Most texts with a backslash or an ampersand have no escape and need no allocation.
  let match = nextEscape(text);
  if (match === undefined) return undefined;
  const offsets = new Int32Array(text.length + 1);
  let decoded = "";
  let copiedTo = 0;
  const copy = (end: number): void => {
    for (let at = copiedTo; at < end; at++) offsets[decoded.length + at - copiedTo] = at;
    decoded += text.slice(copiedTo, end);
    copiedTo = end;
  };
  for (; match !== undefined; match = nextEscape(text)) {
    copy(match.start);
    offsets[decoded.length] = match.start;
    decoded += match.character;
    copiedTo = match.end;
  }
  copy(text.length);
  offsets[decoded.length] = text.length;
  return { text: decoded, offsets };
}

interface Escape {
  readonly start: number;
  readonly end: number;
  readonly character: string;
}

/** Returns the next escape of an ASCII character. */
function nextEscape(text: string): Escape | undefined {
  for (let match = ESCAPE.exec(text); match !== null; match = ESCAPE.exec(text)) {
    const character = characterOf(match);
    if (character !== undefined) return { start: match.index, end: ESCAPE.lastIndex, character };
  }
  return undefined;
}

function characterOf([, unicode, hexadecimal, decimal, hexadecimalEntity, name]: RegExpExecArray):
  | string
  | undefined {
  if (name !== undefined) return ENTITIES.get(name.toLowerCase());
  const code =
    decimal === undefined
      ? Number.parseInt(unicode ?? hexadecimal ?? hexadecimalEntity ?? "", 16)
      : Number(decimal);
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : undefined;
}
