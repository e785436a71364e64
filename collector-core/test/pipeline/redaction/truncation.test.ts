import { describe, expect, it } from "vitest";
import { textRedactor } from "./support.js";

/** Redacts a text with at most `maxTextLength` characters. */
function cut(
  text: string,
  maxTextLength: number,
  custom: { pattern: string; replacement: string }[] = [],
): string {
  return textRedactor({ maxTextLength, custom }).redact(text);
}

describe("spec 4.9 rule 4: text is truncated to max_text_length first", () => {
  it("keeps a text of that length, and a longer one up to the last word that fits", () => {
    expect(cut("one two three", 13)).toBe("one two three");
    expect(cut("one two three", 12)).toBe("one two ");
    expect(cut("one two three", 8)).toBe("one two ");
  });

  it("counts code points, and splits none", () => {
    expect(cut("🙂🙂🙂", 3)).toBe("🙂🙂🙂");
    expect(cut("🙂🙂🙂", 2)).toBe("🙂🙂");
    expect(cut("é é 价格🙂", 5)).toBe("é é 价");
  });

  it.each([
    ["a card number in groups", "4111 1111 1111 1111"],
    ["an SSN after its keyword", "123 45 6789"],
    ["a phone number", "+49 30 1234 5678"],
    ["an address", "jörg.müller@straße.example"],
    ["an IBAN in groups", "DE89 3704 0044 0532 0130 00"],
    ["a key", "sk-proj-abcdefghij1234567890ABCDEFG"],
    ["a token without a known form", "Zm9vYmFyYmF6cXV4"],
  ])("drops %s at the cut completely", (_what, secret) => {
    const before = "call it ssn: ";
    const text = `${before}${secret} and more`;
    for (let kept = 1; kept < secret.length; kept++) expect(cut(text, before.length + kept)).toBe(before);
  });

  it("drops a match of a custom pattern at the cut completely", () => {
    const custom = [{ pattern: "EMPLOYEE [0-9]{3} [0-9]{3}", replacement: "[EMPLOYEE]" }];
    expect(cut("by EMPLOYEE 123 456, and so on", 18, custom)).toBe("by ");
  });

  it("drops at most 256 more characters", () => {
    expect(cut("a".repeat(5000), 1000)).toBe("a".repeat(744));
  });

  it("redacts the rest of a long token whose end was dropped", () => {
    const jwt = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${"eyJzdWIiOiIx".repeat(200)}.${"abc123".repeat(8)}`;
    expect(cut(`token ${jwt}`, 1000)).toBe("token [JWT]");
    expect(cut(`password=${"abc123".repeat(300)}`, 1000)).toBe("password=[SECRET]");
  });

  it("redacts a private key without an end up to the end of the text", () => {
    const pem = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n".repeat(40)}-----END PRIVATE KEY-----`;
    const text = `key: ${pem} tail`;
    for (const maxTextLength of [700, 1300]) expect(cut(text, maxTextLength)).toBe("key: [PRIVATE_KEY]");
    // Near the cut it is dropped completely, like any other match.
    for (const maxTextLength of [40, 100]) expect(cut(text, maxTextLength)).toBe("key: ");
  });

  it.each([
    ["an environment variable", 'DB_PASSWORD="', '"'],
    ["an escaped environment variable", 'export DB_PASSWORD=\\"', '\\"'],
    ["an option", "--password '", "'"],
  ])("redacts a long secret of several words in %s up to the cut", (_what, opening, closing) => {
    const secret = "correct horse 1 ".repeat(40);
    const text = `is ${opening}${secret}${closing} for now`;
    const start = `is ${opening}`.length;
    for (const maxTextLength of [start + 300, start + 600, start + secret.length + 1]) {
      const redacted = cut(text, maxTextLength);
      expect(redacted).not.toContain("horse");
      expect(redacted).toContain("[SECRET]");
    }
  });

  it("applies to replacements that are longer than their match", () => {
    const redacted = cut("a@b.co ".repeat(10), 70);
    expect(redacted.length).toBeLessThanOrEqual(70);
    expect(redacted).toMatch(/^(?:\[EMAIL\] )+$/);
  });
});
