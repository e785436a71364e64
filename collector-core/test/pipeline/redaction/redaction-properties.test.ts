import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUILT_IN_PATTERNS } from "../../../src/pipeline/redaction/built-in-patterns.js";
import { passesLuhn, passesMod97 } from "../../../src/pipeline/redaction/checksums.js";
import { truncateText } from "../../../src/pipeline/redaction/truncation.js";
import { redact, textRedactor } from "./support.js";
import { randomRuns } from "../../random-runs.js";

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
const alphanumeric = (length: number) => fc.stringMatching(new RegExp(`^[A-Za-z0-9]{${length}}$`));

/** Completes a number with its valid check digit. */
function withCheckDigit(body: string, passes: (number: string) => boolean): string {
  for (let check = 0; check < 10; check++) if (passes(body + String(check))) return body + String(check);
  throw new Error("no check digit passes");
}

const grouped = (number: string, separator: string) => number.replace(/(.{4})(?=.)/g, `$1${separator}`);

/** Valid secrets of every kind. */
const secret = fc.oneof(
  fc
    .tuple(fc.constantFrom("4", "51", "2221", "6011"), digits(15), fc.constantFrom("", " ", "-"))
    .map(([issuer, rest, separator]) =>
      grouped(withCheckDigit((issuer + rest).slice(0, 15), passesLuhn), separator),
    ),
  fc
    .tuple(
      fc.integer({ min: 1, max: 665 }),
      fc.integer({ min: 1, max: 99 }),
      fc.integer({ min: 1, max: 9999 }),
    )
    .map(([area, group, serial]) =>
      [String(area).padStart(3, "0"), String(group).padStart(2, "0"), String(serial).padStart(4, "0")].join(
        "-",
      ),
    ),
  fc.tuple(digits(18), fc.constantFrom("", " ")).map(([account, separator]) => {
    for (let check = 2; check <= 98; check++) {
      const iban = `DE${String(check).padStart(2, "0")}${account}`;
      if (passesMod97(iban)) return grouped(iban, separator);
    }
    throw new Error("no check number passes");
  }),
  fc
    .tuple(
      fc.stringMatching(/^[a-zäé][a-zäé0-9._+-]{0,20}[a-z0-9]$/),
      fc.stringMatching(/^[a-z]{1,12}\.(?:com|org|рф)$/),
    )
    .map(([local, domain]) => `${local}@${domain}`),
  alphanumeric(40).map((key) => `sk-${key}1aB`),
  alphanumeric(36).map((key) => `ghp_${key}`),
  alphanumeric(30).map((rest) => `eyJhbGciOiJIUzI1NiJ9.eyJ${rest}.${rest}`),
  fc.tuple(digits(4), digits(4)).map(([a, b]) => `+49 30 ${a} ${b}`),
  fc.tuple(fc.integer({ min: 200, max: 223 }), digits(2)).map(([first, last]) => `${first}.7.1${last}.9`),
);

/** Surrounding text that does not change the meaning of a secret. */
const surroundings = fc.string({
  unit: fc.constantFrom(...Array.from("abc dé 价\n\"'{}():;,!?")),
  maxLength: 60,
});

describe("spec 4.9 rule 4: properties of redaction for any text", () => {
  it("never throws, even for lone surrogates", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => typeof redact(text) === "string"),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 100 }), (codes) => {
        const text = String.fromCharCode(...codes, 0xd800, 0x40, 0xdc00);
        return textRedactor({ maxTextLength: 50 }).redact(text).length <= 100;
      }),
    );
  });

  it("removes every secret from a text", () => {
    fc.assert(
      fc.property(surroundings, secret, surroundings, (before, hidden, after) => {
        const text = `${before} ${hidden} ${after}`;
        expect(redact(text)).not.toContain(hidden);
        expect(redact(JSON.stringify({ text }))).not.toContain(hidden);
      }),
      { numRuns: randomRuns(120) },
    );
  });

  it("is idempotent", () => {
    const piece = fc.oneof(
      secret,
      surroundings,
      fc.constantFrom(
        "ssn ",
        "phone: ",
        "password=",
        "token: ",
        "Bearer ",
        "\nDB_PASSWORD=xK9(m",
        "| password | Hunter2abc9! |",
        'name="password" value="',
        "password: |\n  ",
        "login me password ",
        " docker login -p ",
        "?sig=",
        "postgres://a:",
        "@",
        "-----BEGIN PRIVATE KEY-----",
        "::",
        "1.2.3.4",
      ),
      fc.string({ unit: fc.constantFrom(...Array.from("0123456789-. +():/@=a[]")), maxLength: 30 }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.constantFrom(" ", "", ","),
        fc.integer({ min: 1, max: 300 }),
        (pieces, separator, maxTextLength) => {
          const redactor = textRedactor({ maxTextLength });
          const once = redactor.redact(pieces.join(separator));
          expect(redactor.redact(once)).toBe(once);
          expect(Array.from(once).length).toBeLessThanOrEqual(maxTextLength);
        },
      ),
      { numRuns: randomRuns(250) },
    );
  });

  it("truncates to the maximum length, without leaving the beginning of a secret", () => {
    fc.assert(
      fc.property(surroundings, secret, fc.nat(), (before, hidden, position) => {
        const start = `${before} `;
        const text = `${start}${hidden} and more text behind it`;
        const maxLength = Array.from(start).length + 1 + (position % (hidden.length - 1));
        const truncated = truncateText(text, maxLength, (part) =>
          BUILT_IN_PATTERNS.flatMap(({ find }) => find(part)),
        );
        expect(Array.from(truncated).length).toBeLessThanOrEqual(maxLength);
        expect(start.startsWith(truncated)).toBe(true);
      }),
      { numRuns: randomRuns(120) },
    );
  });
});
