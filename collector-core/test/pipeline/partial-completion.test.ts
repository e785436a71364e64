import { createHash } from "node:crypto";
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

it("shows nothing of an environment variable in quotes that has not ended", () => {
  const whole = `${words(6)}export DB_PASSWORD="${"correct horse 1 ".repeat(20)}`;
  for (let end = 0; end < whole.length; end += 5) expect(show(whole.slice(0, end))).not.toContain("horse");
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

/** Random base64 that is the same in every run. */
function randomText(bytes: number, encoding: "base64" | "base64url"): string {
  const blocks = Array.from({ length: Math.ceil(bytes / 32) }, (_, index) =>
    createHash("sha256").update(`${bytes} ${index}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, bytes).toString(encoding);
}

function armoured(label: string, bytes: number, lineBreak = "\n", header = ""): string {
  const lines = randomText(bytes, "base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----${header}`, ...lines, `-----END ${label}-----`].join(lineBreak);
}

const jwtHeader = Buffer.from('{"alg":"RS256","typ":"JWT"}').toString("base64url");
const LONG_SECRETS = {
  "RSA key of 2048 bits": armoured("PRIVATE KEY", 1218),
  "RSA key of 4096 bits": armoured("RSA PRIVATE KEY", 2349),
  "key in a JSON text": `{"private_key": "${armoured("PRIVATE KEY", 2374, "\\n")}"}`,
  "quoted key": armoured("PRIVATE KEY", 2374, "\n> "),
  "PGP key": armoured("PGP PRIVATE KEY BLOCK", 5000, "\n", "\nVersion: GnuPG v2\n"),
  "PGP key longer than what is kept": armoured("PGP PRIVATE KEY BLOCK", 9000),
  "JWT of 12 KB": `${jwtHeader}.${randomText(9000, "base64url")}.${randomText(256, "base64url")}`,
  "JWT of 4 KB": `${jwtHeader}.${randomText(2800, "base64url")}.${randomText(256, "base64url")}`,
};

it.each(Object.entries(LONG_SECRETS))(
  "shows no 40 characters of a %s at any moment of an answer that grows, wherever it is cut",
  { timeout: 120_000 },
  (_, secret) => {
    const body = secret.replace(/-----(?:BEGIN|END) [A-Z ]+-----/g, (label) => " ".repeat(label.length));
    // 40 characters in a row contain one of these pieces.
    const pieces = (body.match(/.{20}/gs) ?? []).filter((piece) =>
      /^[\w+/=.\\\n> -]{20}$/.test(piece.trim()),
    );
    expect(pieces.length).toBeGreaterThan(60);
    for (const before of [0, 300, 7001]) {
      const whole = `${words(1000).slice(-before - 1)}${secret}\n${words(900)}`;
      for (let end = before; end < whole.length; end += 173) {
        const sent = whole.slice(0, end);
        for (const text of [
          sent,
          sent.slice(-8192),
          sent.slice(-7500),
          `…${sent.slice(-5000 - (end % 3000))}`,
        ]) {
          // A text is cut only where it is longer than what is sent.
          if (text !== sent && sent.length <= 8192) continue;
          const shown = show(text);
          expect(pieces.filter((piece) => shown.includes(piece))).toEqual([]);
        }
      }
      expect(show(whole)).toContain("lorem ipsum");
    }
  },
);

/** A few characters of a secret may be anything. */
function expectNoHalf(secret: string, shown: readonly string[]): void {
  for (const half of [secret.slice(-8), secret.slice(0, 14).slice(-8)])
    expect(shown.filter((text) => text.includes(half))).toEqual([]);
}
