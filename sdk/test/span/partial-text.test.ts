import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { partialText } from "../../src/span/partial-text.js";

const words = (count: number): string =>
  Array.from({ length: count }, (_, index) => `word${index} `).join("");
/** A card number in groups, as a mask would find it. */
const CARD = "4111 1111 1111 1111";
const maskCard = (text: string): string => text.replace(/\b(?:\d{4} ){3}\d{4}\b/g, "[CARD]");
const KEY = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG\n".repeat(60)}-----END PRIVATE KEY-----`;
const maskKey = (text: string): string =>
  text.replace(/-----BEGIN PRIVATE KEY-----[^]*?-----END PRIVATE KEY-----/g, "[KEY]");

it("shows a text up to its last white space", () => {
  expect(partialText("The capital of Fran", undefined)).toBe("The capital of ");
  expect(partialText("Hel", undefined)).toBe("");
  expect(partialText("", undefined)).toBe("");
});

it("shows texts of scripts without white space up to their last character", () => {
  expect(partialText("日本の首都は東京です", undefined)).toBe("日本の首都は東京です");
  expect(partialText("パスワードはhunter", undefined)).toBe("パスワードは");
});

it("shows the last 8 KiB of a long text, from the start of a word", () => {
  for (const text of [
    words(5000),
    `${"Wörter, ".repeat(5000)}und`,
    "漢字の文章".repeat(4000),
    "😀 ".repeat(5000),
  ]) {
    const shown = partialText(text, undefined);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(8192);
    expect(Buffer.byteLength(shown)).toBeGreaterThan(7900);
    expect(shown).toMatch(/^…\S/);
    expect(shown).not.toContain("\ufffd");
    expect(text).toContain(shown.slice(1));
  }
});

it("shows nothing of a word that is longer than what is shown", () => {
  expect(partialText("x".repeat(1_000_000), undefined)).toBe("");
  expect(partialText(`short ${"x".repeat(9000)}`, undefined)).toBe("");
});

it("shows no digit of a masked secret with spaces, at any moment of the stream", () => {
  const text = `The card is ${CARD} and it expires soon. ${words(30)}`;
  for (let length = 1; length <= text.length; length++)
    expect(partialText(text.slice(0, length), maskCard)).not.toMatch(/\d{4} /);
  expect(partialText(text, maskCard)).toContain("The card is [CARD] and");
});

it("shows no half of a masked secret at the edge of the 8 KiB, wherever the edge is", () => {
  const before = words(2500);
  for (let after = 900; after < 1300; after++) {
    const text = `${before}${CARD} ${words(after)}`;
    expect(partialText(text, maskCard)).not.toMatch(/(?<!word)\d{4} /);
  }
});

it("does not show half of a private key while it arrives, nor when its start has left the 8 KiB", () => {
  const text = `${words(1500)}\n${KEY}\n${words(2500)}`;
  for (let length = 0; length <= text.length; length += 7) {
    expect(partialText(text.slice(0, length), maskKey)).not.toContain("MIIE");
    const unmasked = partialText(text.slice(0, length), undefined);
    // Without a mask, the collector redacts the key: it gets all of it or nothing.
    if (unmasked.includes("MIIE")) expect(maskKey(unmasked)).not.toContain("MIIE");
  }
});

it("treats a block that is never closed as text", () => {
  const shown = partialText(`A key starts with -----BEGIN PRIVATE KEY-----\n${words(5000)}`, undefined);
  expect(shown).toContain("word4999");
});

it("survives a mask that returns less or more text", () => {
  const text = words(5000);
  expect(partialText(text, () => "")).toBe("");
  expect(partialText(text, (whole) => whole.slice(0, 10))).toBe("");
  expect(Buffer.byteLength(partialText(text, (whole) => whole.repeat(5)))).toBeLessThanOrEqual(8192);
});

/** Random base64 that is the same in every run. */
const random = Array.from({ length: 400 }, (_, index) =>
  createHash("sha256").update(String(index)).digest("hex"),
).join("");
const JWT = `eyJhbGciOiJSUzI1NiJ9.${random.slice(0, 12_000)}.${random.slice(12_000, 12_300)}`;
const OPEN_KEY = (random.slice(0, 20_000).match(/.{64}/g) ?? []).join("\n");

/** Finds a secret by its start, as masks do. */
const maskStart = (text: string): string =>
  text.replace(/eyJ\S*/g, "[JWT]").replace(/-----BEGIN [^-]*-----[\w\n]*\n/g, "[KEY] ");

it.each([
  ["a JWT of 12 KB", JWT],
  ["a key longer than the longest block", `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${OPEN_KEY}`],
])("shows no 40 characters of the end of %s, wherever the cut is", (_, secret) => {
  const pieces = secret.slice(50).match(/.{20}/gs) ?? [];
  for (const before of [0, 1000, 9000]) {
    const whole = `${words(2000).slice(-before - 1)}${secret}\n${words(2500)}`;
    // Without a mask, a text with the start of the secret is sent: the redaction finds it.
    for (let length = before + 8192 + 50; length <= whole.length; length += 311) {
      const sent = whole.slice(0, length);
      for (const mask of [undefined, maskStart]) {
        const shown = partialText(sent, mask);
        expect(pieces.filter((piece) => shown.includes(piece))).toEqual([]);
      }
    }
    expect(partialText(whole, undefined)).toContain("word2499");
  }
});
