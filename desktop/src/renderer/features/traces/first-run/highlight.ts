import type { Snippet } from "./snippets.js";

/** A piece of code and its syntax role; undefined for plain text. */
export interface CodePiece {
  readonly text: string;
  readonly role: Role | undefined;
}

/** Syntax roles, in the order in which they are tried. */
const ROLES = ["comment", "key", "string", "keyword", "number"] as const;
type Role = (typeof ROLES)[number];

const STRING = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`;
const KEY = `"\\w+"(?=:)|\\b\\w+(?=: )`;
const NUMBER = `(?<=[ (])\\d+(?:\\.\\d+)?\\b`;
const KEYWORDS = {
  shell: `\\b(?:curl|export)\\b`,
  javascript: `\\b(?:const|await|import|from|new)\\b`,
  python: `\\b(?:import|from|as|def|return|with)\\b`,
} as const;
const COMMENTS = { shell: `^#.*`, javascript: `//[^"]*$`, python: `^#.*` } as const;

/** Finds the syntax roles in one line of code. Good enough for our own snippets; it is not a parser. */
export function highlightLine(line: string, language: Snippet["language"]): CodePiece[] {
  const pattern = new RegExp(
    `(?<comment>${COMMENTS[language]})|(?<key>${KEY})|(?<string>${STRING})|(?<keyword>${KEYWORDS[language]})|(?<number>${NUMBER})`,
    "gm",
  );
  const pieces: CodePiece[] = [];
  let end = 0;
  for (const match of line.matchAll(pattern)) {
    if (match.index > end) pieces.push({ text: line.slice(end, match.index), role: undefined });
    const role = ROLES.find((each) => match.groups?.[each] !== undefined);
    pieces.push({ text: match[0], role });
    end = match.index + match[0].length;
  }
  if (end < line.length) pieces.push({ text: line.slice(end), role: undefined });
  return pieces;
}
