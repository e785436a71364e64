import { describe, expect, it } from "vitest";
import { BUILT_IN_PATTERNS } from "../../../src/pipeline/redaction/built-in-patterns.js";
import { createPatternSet } from "../../../src/pipeline/redaction/pattern-set.js";
import { redact } from "./support.js";
import { expectLinearTime, MORE_WORK } from "../../linear-time.js";

/** Texts whose repetition causes backtracking in a naive expression. */
const PIECES = [
  ...Array.from("19aA@-:.=+/(\\ é价\ud83d"),
  "1 ",
  "1-",
  "1.",
  "1:",
  "a:",
  "a@",
  "@a.",
  "a@a.",
  "a%40",
  "://",
  "a://b:",
  "://a:b@",
  "4111 ",
  "4111-",
  "1.1.1.1",
  "255.",
  "+49 30 ",
  "(415) ",
  "0049",
  "00",
  "GB82",
  "DE89 3704 ",
  "AB12",
  "RSSMRA",
  "756.",
  "123-45-",
  "19811218-",
  "ssn 123456789 ",
  "passport A123456",
  "phone 1",
  "eyJ",
  "eyJ-",
  "eyJhbGciOiJI.",
  "sk-",
  "sk-a ",
  "AKIA",
  "SG.aaaaaaaaaaaaaaaaaaaa.",
  `M${"a".repeat(24)}.aaaaaa.`,
  "password=",
  'password: "',
  "secret is ",
  "token",
  "bearer ",
  "basic a:",
  "authorization: ",
  "-----BEGIN PRIVATE KEY-----",
  "\\n1",
  "\\u00e9",
  `"'\`]\\`,
  "[EMAIL]",
  "cookie: a=",
  "cookie: a=b; ",
  "--password ",
  "--a-",
  "-u a:",
  "curl -u a:b ",
  "<a>",
  "<password>",
  "<password>a</",
  "<a ",
  String.raw`\u0040`,
  String.raw`\\\\u0040a`,
  "&#64;",
  "&commat;a",
  "4111.",
  "a_sk-",
  "A_PASSWORD=",
  "A_PASSWORD='a ",
  "A_KEY=a1(",
  "password|",
  "| password | ",
  "**password**",
  `password${" ".repeat(40)}`,
  `password:${" ".repeat(40)}`,
  "value=",
  "name=password value=",
  'value="aaaa',
  'value="aaaa1" ',
  "password: |\n ",
  "password: |\n  aaaaaaaa\n",
  "password: |\n  password:|\n  ",
  " login a password ",
  "login a ",
  " -p",
  "mysql -pa1b2 ",
  "mysql -p ",
  "docker login -p a1b2 ",
  "http -a a:b ",
  " -a a:",
  'auth="YWxpY2U6aHVudGVy',
  "&sig=",
  "signature=aaaaaaaaaaaaaaaa1 ",
  "postgres://a:/",
  "://a:#",
  "://a:#@",
  ";password=a(",
];

/** A search in quadratic time takes half a second for as many characters, even if a step takes a nanosecond. */
const LARGE = 20_000;
const SMALL = LARGE / MORE_WORK;

function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

describe("reliability.md: the built-in patterns take linear time for every text", () => {
  const set = createPatternSet(BUILT_IN_PATTERNS);
  const searches = [...BUILT_IN_PATTERNS, { name: "prepare", find: set.prepare }];
  it.each(PIECES)("20,000 characters of %j", (piece) => {
    const [small, large] = [repeated(piece, SMALL), repeated(piece, LARGE)];
    for (const { name, find } of searches)
      expectLinearTime(
        name,
        () => find(small),
        () => find(large),
      );
  });

  it.each(PIECES)("20,000 characters of %j are redacted whole", (piece) => {
    expect(typeof redact(repeated(piece, LARGE))).toBe("string");
  });
});
