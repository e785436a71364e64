/** Characters of ASCII that are written as an escape of JSON or JavaScript, or as an entity of HTML. */

/** Entities by name, without those that only a language lesson uses. */
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

/** JSON within JSON has more backslashes than one. */
const ESCAPE = new RegExp(
  String.raw`\\{1,4}(?:u00([2-7][\da-f])|x([2-7][\da-f]))|&(?:#0{0,5}(\d{2,3})|#x0{0,5}([2-7][\da-f])|(${[...ENTITIES.keys()].join("|")}));`,
  "gi",
);

/** A text with its escapes read. */
export interface DecodedText {
  readonly text: string;
  /** Where each of its characters begins in the text as it was, and behind the last one its length. */
  readonly places: Int32Array;
}

/** The text with its escapes of ASCII read; undefined where it has none. All other escapes stay. */
export function decodeEscapes(text: string): DecodedText | undefined {
  ESCAPE.lastIndex = 0;
  // Most texts with a backslash or an ampersand have no escape: they cost a search and no memory.
  let match = nextEscape(text);
  if (match === undefined) return undefined;
  const places = new Int32Array(text.length + 1);
  let decoded = "";
  let copiedTo = 0;
  const copy = (end: number): void => {
    for (let at = copiedTo; at < end; at++) places[decoded.length + at - copiedTo] = at;
    decoded += text.slice(copiedTo, end);
    copiedTo = end;
  };
  for (; match !== undefined; match = nextEscape(text)) {
    copy(match.start);
    places[decoded.length] = match.start;
    decoded += match.character;
    copiedTo = match.end;
  }
  copy(text.length);
  places[decoded.length] = text.length;
  return { text: decoded, places };
}

interface Escape {
  readonly start: number;
  readonly end: number;
  readonly character: string;
}

/** The next escape that is one of a character of ASCII. */
function nextEscape(text: string): Escape | undefined {
  for (let match = ESCAPE.exec(text); match !== null; match = ESCAPE.exec(text)) {
    const character = characterOf(match);
    if (character !== undefined) return { start: match.index, end: ESCAPE.lastIndex, character };
  }
  return undefined;
}

function characterOf([, unicode, hexadecimal, decimal, hexadecimalEntity, name]: RegExpExecArray):
  string | undefined {
  if (name !== undefined) return ENTITIES.get(name.toLowerCase());
  const code =
    decimal === undefined
      ? Number.parseInt(unicode ?? hexadecimal ?? hexadecimalEntity ?? "", 16)
      : Number(decimal);
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : undefined;
}
