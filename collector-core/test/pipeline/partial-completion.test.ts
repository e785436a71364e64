import { expect, it } from "vitest";
import { keptPartial, shownPartial } from "../../src/pipeline/partial-completion.js";
import { createSpanRedactor } from "../../src/pipeline/redaction/span-redactor.js";
import { systemClock } from "../../src/runtime/clock.js";

const { redactText } = createSpanRedactor({
  maxTextLength: 50_000,
  dropOnFailure: true,
  customPatterns: [{ pattern: "order \\d{4}-\\d{4}", replacement: "[ORDER]" }],
  counters: { redacted: () => undefined, redactionFailed: () => undefined },
  onFailure: () => undefined,
  clock: systemClock,
  nextTurn: () => Promise.resolve(),
});

const show = (sent: string): string => shownPartial(keptPartial(sent), redactText);
const words = (count: number): string => "lorem ipsum ".repeat(count);

const KEY = `-----BEGIN PRIVATE KEY-----\n${"MIIEvQIBADANBgkqhkiG9w0B\n".repeat(20)}-----END PRIVATE KEY-----`;
const SECRETS = [
  "4111 1111 1111 1111",
  "DE89 3704 0044 0532 0130 00",
  "jane.doe@example.com",
  "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH",
  "123-45-6789",
  "+49 170 1234567",
  "order 1234-5678",
  "password: correct-horse-battery",
];

it.each(SECRETS)("shows no half of the secret %s at the end of a text that grows", (secret) => {
  const whole = `${words(6)}it is ${secret} for now. ${words(10)}`;
  const shown = Array.from({ length: whole.length }, (_, end) => show(whole.slice(0, end)));
  expectNoHalf(secret, shown);
  expect(show(whole)).toMatch(/\[[A-Z_]+\]/);
});

it.each(SECRETS)("shows no half of the secret %s at the start of a text that was cut", (secret) => {
  const whole = `it is ${secret} for now. ${words(600)}`;
  const shown = Array.from({ length: 80 }, (_, start) => show(`…${whole.slice(start, start + 8190)}`));
  // Longer than what is kept: the collector cuts it.
  for (let more = 0; more < 80; more++) shown.push(show(`${whole}${words(100)}${".".repeat(more)} `));
  expectNoHalf(secret, shown);
});

it("shows nothing of a private key that has not ended", () => {
  const whole = `${words(6)}${KEY}\n${words(10)}`;
  for (let end = 0; end < whole.length; end += 5) expect(show(whole.slice(0, end))).not.toContain("MIIE");
  expect(show(whole)).toContain("[PRIVATE_KEY]");
});

it("shows a text as it was sent where redaction is off", () => {
  expect(shownPartial(keptPartial("The capital "), undefined)).toBe("The capital ");
  expect(shownPartial(keptPartial("…of France is "), undefined)).toBe("…of France is ");
});

it("bounds what is kept and shown, in whole characters", () => {
  for (const text of ["x", "ä ", "漢字", "😀 ", "\ud800 "].map((part) => part.repeat(50_000))) {
    expect(keptPartial(text).length).toBeLessThanOrEqual(8193);
    for (const redact of [undefined, redactText, (long: string) => long.repeat(3)]) {
      const shown = shownPartial(keptPartial(text), redact);
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(8192);
    }
  }
});

/** A few characters of a secret may be anything. */
function expectNoHalf(secret: string, shown: readonly string[]): void {
  for (const half of [secret.slice(-8), secret.slice(0, 14).slice(-8)])
    expect(shown.filter((text) => text.includes(half))).toEqual([]);
}
