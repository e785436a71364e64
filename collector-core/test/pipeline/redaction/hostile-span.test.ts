import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Span } from "@obspan/sdk/wire";
import { BUILT_IN_PATTERNS } from "../../../src/pipeline/redaction/built-in-patterns.js";
import { createKeyReader, NO_MEANING } from "../../../src/pipeline/redaction/key-meaning.js";
import { valueInSteps } from "../../../src/pipeline/redaction/redact-in-steps.js";
import { createValueRedactor } from "../../../src/pipeline/redaction/value-redactor.js";
import { runAtOnce } from "../../../src/runtime/steps.js";
import { findSplices } from "../../../src/span/json-splices.js";
import { span, startCollector } from "../../running-collector.js";
import { textRedactor } from "./support.js";
import { expectLinearTime, MORE_WORK } from "../../linear-time.js";
import { randomRuns } from "../../random-runs.js";

function valueRedactor() {
  return createValueRedactor({
    textRedactor: textRedactor(),
    readKey: createKeyReader(BUILT_IN_PATTERNS),
    onRedacted: () => undefined,
  });
}

function repeat<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const repeatText = (piece: string, count: number): string => piece.repeat(count);

/** Values that take quadratic time in a naive redactor, by what they contain many of. */
const SHAPES: Record<string, (count: number) => unknown> = {
  "keys with equal redacted forms": (count) =>
    Object.fromEntries(repeat(count, (index) => [`user${index}@example.com`, index])),
  "keys with equal redacted forms, among keys that look like the result": (count) =>
    Object.fromEntries(
      repeat(count, (index) => [index % 2 === 0 ? `u${index}@example.com` : `[EMAIL] ${index}`, index]),
    ),
  "keys of secrets": (count) =>
    Object.fromEntries(repeat(count, (index) => [`password${index}_key`, "hunter2x"])),
  "keys that are long": (count) => ({ [repeatText("a@b.example ", count)]: 1 }),
  "secrets in texts": (count) => repeat(count, (index) => `alice${index}@example.com password=hunter2x`),
  "secrets in one text": (count) =>
    repeatText("a@b.example 4111 1111 1111 1111 password=hunter2x, ", count / 20),
  "texts that are JSON": (count) =>
    repeat(count, () => JSON.stringify({ a: JSON.stringify({ mail: "a@b.example" }) })),
  "backslashes of nested JSON": (count) => repeatText(String.raw`\\\"`, count),
  "escapes of ASCII": (count) => repeatText(String.raw`\u0040a`, count),
  entities: (count) => repeatText("&#64;a", count),
  digits: (count) => repeatText("4", count),
  "groups of digits": (count) => repeatText("4111.", count),
  "pairs of a name and a value": (count) => repeat(count, () => ({ name: "X-Api-Key", value: "abc" })),
  "nested objects under a secret key": (count) => ({
    password: repeat(count, (index) => ({ index, value: "a" })),
  }),
  "blobs of text": (count) => repeat(count, () => ({ type: "blob", content: btoa("mail a@b.example") })),
  tags: (count) => repeatText("<password>", count),
  cookies: (count) => repeatText("cookie: a=b; ", count),
  options: (count) => repeatText("curl -u a --password ", count),
  ...Object.fromEntries(
    Array.from("-_.:;,=+*/\\|&%$#@!?~^'\"`()[]{}<> \n").map((mark) => [
      `runs of ${JSON.stringify(mark)}`,
      (count: number) => repeatText(mark, count),
    ]),
  ),
};

const SMALL = 1600;

function expectLinear(
  what: string,
  make: (count: number) => unknown,
  work: (value: unknown) => unknown,
): void {
  const [small, large] = [make(SMALL), make(SMALL * MORE_WORK)];
  expectLinearTime(
    what,
    () => work(small),
    () => work(large),
  );
}

describe("redaction takes linear time for every value", () => {
  it.each(Object.entries(SHAPES))("many %s", (name, make) => {
    const values = valueRedactor();
    expectLinear(name, make, (value) => values.value(value));
  });

  it.each(Object.entries(SHAPES))(
    "many %s: what changed is found in the bytes in linear time",
    (name, make) => {
      const values = valueRedactor();
      const inAll = (value: unknown, depth: number): unknown =>
        depth === 0 ? value : { inside: inAll(value, depth - 1), [`mail${depth}@example.com`]: 1 };
      const deep = (count: number) => {
        const before = JSON.parse(JSON.stringify(inAll(make(count / 8), 25))) as unknown;
        return { json: Buffer.from(JSON.stringify(before)), before, after: values.value(before) };
      };
      expectLinear(name, deep, (made) => {
        const { json, before, after } = made as ReturnType<typeof deep>;
        findSplices(json, 0, before, after);
      });
    },
  );
});

describe("redaction of a large value in steps", () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom("a@b.example", "plain", 4111111111111111, 12, null, true, "x".repeat(9000)),
      fc.array(tie("value"), { maxLength: 6 }),
      fc.dictionary(
        fc.constantFrom(
          "password",
          "a@b.example",
          "c@d.example",
          "text",
          "pass",
          "tokens",
          "name",
          "value",
          "__proto__",
        ),
        tie("value"),
      ),
      fc.record({
        type: fc.constant("blob"),
        content: fc.constantFrom("aGVsbG8gYUBiLmV4YW1wbGU=", "a@b.example"),
      }),
    ),
  })).value;

  it("gives the same result as synchronous redaction", () => {
    const values = valueRedactor();
    fc.assert(
      fc.property(json, (value) => {
        const inSteps = runAtOnce(valueInSteps(values, value, NO_MEANING));
        const atOnce = values.value(value);
        expect(JSON.stringify(inSteps)).toBe(JSON.stringify(atOnce));
        if (atOnce === value) expect(inSteps).toBe(value);
      }),
      { numRuns: randomRuns(75) },
    );
  });

  it("does not block the event loop for a span of megabytes", async () => {
    const running = await startCollector({ REDACTION_ENABLED: "true" });
    const attributes: Span["attributes"] = {
      mails: Object.fromEntries(repeat(20_000, (index) => [`user${index}@example.com`, index])),
      texts: repeat(20, () => repeatText("4111 ", 1600)),
    };
    await running.post({ spans: [span({ attributes })] });
    const health: number[] = [];
    while (running.collector.ledger().processed < 1) {
      const startMs = performance.now();
      await running.get("/health");
      health.push(performance.now() - startMs);
    }
    // With quadratic handling of duplicate keys this takes minutes, without a response in between.
    expect(health.length).toBeGreaterThan(10);
    expect(Math.max(...health)).toBeLessThan(2000);
    const { spans } = await running.get<{ spans: { attributes: { mails: object; texts: string[] } }[] }>(
      "/v1/traces/t1?full=1",
    );
    expect(Object.keys(spans[0]?.attributes.mails ?? {})).toHaveLength(20_000);
    expect(JSON.stringify(spans)).not.toContain("@example.com");
  });
});
