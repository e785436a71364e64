import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUILT_IN_PATTERNS } from "../../../src/pipeline/redaction/built-in-patterns.js";
import { replaceMatches } from "../../../src/pipeline/redaction/pattern.js";
import { plainCharacters } from "../../../src/pipeline/redaction/plain-characters.js";
import { isPlainProse } from "../../../src/pipeline/redaction/text-features.js";
import { textRedactor } from "./support.js";
import { randomRuns } from "../../random-runs.js";

const MAX_ROUNDS = 5;

/** Reference redactor: runs every pattern on the whole text in order, until none matches. */
function redactByEveryPattern(text: string): { text: string; counts: Record<string, number> } {
  const counts: Record<string, number> = {};
  let result = text;
  for (let round = 0; round < MAX_ROUNDS && !isPlainProse(result); round++) {
    const before = result;
    for (const { find, name, replacement } of BUILT_IN_PATTERNS) {
      const matches = find(plainCharacters(result));
      if (matches.length === 0) continue;
      counts[name] = (counts[name] ?? 0) + matches.length;
      result = replaceMatches(result, matches, replacement);
    }
    if (result === before) break;
  }
  return { text: result, counts };
}

function countsSince(before: Record<string, number>, now: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(now)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}

const numbers = fc.string({ unit: fc.constantFrom(...Array.from("0123456789-. +():/")), maxLength: 24 });
const codes = fc.string({ unit: fc.constantFrom(...Array.from("0123456789ABCXZabx-.")), maxLength: 20 });

/** Digit groups in common forms: dates, order numbers, phone numbers and identity numbers. */
const grouped = fc
  .array(
    fc.tuple(
      fc.string({ unit: fc.constantFrom(...Array.from("0123456789")), minLength: 1, maxLength: 9 }),
      fc.constantFrom("-", " ", ".", "", ", ", ") "),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((groups) => groups.map(([group, separator]) => group + separator).join(""));

const pieces = fc.oneof(
  numbers,
  codes,
  grouped,
  fc.constantFrom(
    "4111 1111 1111 1111",
    "DE89 3704 0044 0532 0130 00",
    "nl91abna0417164300",
    "123-45-6789",
    "19811218-9876",
    "131052-308T",
    "2345 6789 0124",
    "1 85 05 78 006 084 91",
    "85.07.30-033.28",
    "30.686.957-4",
    "20-12345678-6",
    "900101-1234568",
    "11010519491231002X",
    "12345678Z",
    "X1234567L",
    "AB 12 34 56 C",
    "A123456(3)",
    "112-233-445 95",
    "529.982.247-25",
    "756.9217.0769.85",
    "+49 30 1234 5678",
    "0049 30 12345678",
    "(415) 555-2671",
    "alice@example.com",
    "bob%40example.org",
    "192.168.7.9",
    "2001:db8::1",
    "postgres://shop:pass1@db.example/x",
    "sk-abcdefghij1234567890ABCD",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0",
    "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
    "2026-11-21T05:57:56.123Z",
    "20261121-0042",
    "550e8400-e29b-41d4-a716-446655440000",
    "４１１１ １１１１ １１１１ １１１１",
    String.raw`\u00e9`,
    String.raw`\n`,
    "[EMAIL]",
    "Cookie: a=b; c=d",
    "--password hunt3r",
    "curl -u ann:hunter2",
    "<password>",
    "</password>",
    "4111.1111.1111.1111",
    "OPENAI_sk-abcdefghij1234567890ABCD",
    "DB_PASSWORD=xK9(mP2$vL;nQ8",
    "SMTP_PASS=",
    "**Password:** ",
    "| password | Hunter2abc9! |",
    "password |",
    '"name":"password","value":"',
    "value=",
    "password: >-\n  ",
    "login me password ",
    "mysql -phunter2x",
    "docker login -p ",
    "http -a ann:hunter2x",
    '"auth": "',
    "?sig=abcdEFGH12345678",
    "X-Amz-Signature=",
    "postgres://shop:pa#ss1@db",
    "; Password=",
    "                    =  ",
  ),
  fc.constantFrom(
    "ssn ",
    "phone: ",
    "passport no ",
    "personnummer ",
    "tel ",
    "password",
    "api_key",
    "client secret hash",
    "connection string",
    "credentials",
    "Authorization",
    "pwd",
    "next_page_token",
  ),
  fc.constantFrom(
    "=",
    ": ",
    '": "',
    " is ",
    "\tIS\n",
    " => ",
    "'] = '",
    "bearer ",
    "Basic ",
    "ZGVtbzpwYXNz",
    "hunter2x",
  ),
  fc.constantFrom(..."the order was shipped of é价 for $".split(" ")),
);

describe("spec 4.9 rule 4: the selection of patterns skips no match", () => {
  it("gives the same result as running every pattern on the whole text", () => {
    const redactor = textRedactor();
    let changed = 0;
    fc.assert(
      fc.property(
        fc.array(pieces, { minLength: 1, maxLength: 7 }),
        fc.constantFrom(" ", "", ",", "\n"),
        (parts, separator) => {
          const text = parts.join(separator);
          const expected = redactByEveryPattern(text);
          const before = { ...redactor.counts };
          expect(redactor.redact(text)).toBe(expected.text);
          expect(countsSince(before, redactor.counts)).toEqual(expected.counts);
          if (expected.text !== text) changed++;
        },
      ),
      { seed: 20261121, numRuns: randomRuns(500) },
    );
    expect(changed).toBeGreaterThan(100);
  });
});
