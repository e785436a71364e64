import * as fc from "fast-check";

const PUNCTUATION = Array.from("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
/** Opening and closing marks of Markdown, JSON, URLs and queries. */
const TOKENS = [
  ...PUNCTUATION,
  ...Array.from(" \t\n\ra1="),
  "**",
  "~~",
  "``",
  "](",
  "](b)",
  "![",
  "- ",
  "> ",
  "1. ",
  "|-",
  "|\n",
  "\n\n",
  "<!--",
  "www.a.",
  "http://a.b/",
  "a@b.c",
  "[^a]",
  "[a]: b\n",
  "- [ ] ",
  "&amp;",
  '\\"',
  '":',
  "data:",
];

/** A short text, repeated to `length` characters. */
export function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/** Texts known to be hard to parse: repeated marks, alternations, and nested brackets, quotes and emphasis. */
export function hardTexts(length: number): readonly string[] {
  const half = Math.floor(length / 2);
  const halves = (open: string, close: string): string => repeated(open, half) + repeated(close, half);
  return [
    ...PUNCTUATION.flatMap((mark) => [
      repeated(mark, length),
      repeated(`${mark}a`, length),
      repeated(`${mark} `, length),
      repeated(`${mark}\n`, length),
    ]),
    halves("[", "]"),
    halves("{", "}"),
    halves("![", "](b)"),
    halves("*a ", "b* "),
    halves("> ", "a\n"),
    halves("- ", "a\n"),
    halves('{"a":', "}"),
    halves("<a ", ">"),
    repeated("a", length),
    repeated(" ", length),
    repeated(" ", length) + "!",
    repeated('\\"', length),
    repeated(".1", length) + "\n",
    `${repeated("|a", length / 3)}|\n${repeated("|-", length / 3)}|\n${repeated("|\n", length / 3)}`,
  ];
}

/** Any short text repeated, or two of them one after the other, and an end that fits neither. */
export function anyHardText(length: number): fc.Arbitrary<string> {
  const unit = fc
    .array(fc.constantFrom(...TOKENS), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(""));
  return fc
    .tuple(unit, unit, fc.constantFrom("", "!", "\n", "\u0000"))
    .map(([first, second, end]) => repeated(first, length / 2) + repeated(second, length / 2) + end);
}
