import { describe, expect, it } from "vitest";
import { compileCustomPattern } from "../../../src/pipeline/redaction/custom-patterns.js";
import { systemClock } from "../../../src/runtime/clock.js";
import { load, problems } from "../../config/loading.js";
import { textRedactor } from "./support.js";

const VARIABLE = "OBS_SERVER_REDACTION_CUSTOM_PATTERNS_JSON";

/** Redacts a text with custom patterns. */
function redactWith(text: string, ...custom: [pattern: string, replacement: string][]): string {
  return textRedactor({
    custom: custom.map(([pattern, replacement]) => ({ pattern, replacement })),
  }).redact(text);
}

describe("spec 4.9 rule 4: custom patterns", () => {
  it("run in order, each on the result of the previous one", () => {
    expect(redactWith("abc", ["a", "b"], ["b+", "c"], ["c", "d"])).toBe("dd");
    expect(redactWith("abc", ["c", "d"], ["b", "c"], ["a", "b"])).toBe("bcd");
  });

  it("run after the built-in ones", () => {
    expect(redactWith("alice@example.com", ["alice", "[NAME]"])).toBe("[EMAIL]");
    expect(redactWith("alice@example.com", [String.raw`\[EMAIL\]`, "<mail>"])).toBe("<mail>");
  });

  it("are counted by position", () => {
    const redactor = textRedactor({
      custom: [
        { pattern: "x", replacement: "" },
        { pattern: "EMP-[0-9]+", replacement: "[EMPLOYEE]" },
      ],
    });
    expect(redactor.redact("EMP-1 and EMP-22")).toBe("[EMPLOYEE] and [EMPLOYEE]");
    expect(redactor.counts).toEqual({ custom_2: 2 });
  });

  it("reliability.md: insert `$&` and `$1` in a replacement literally", () => {
    expect(redactWith("secret", ["(s)ecret", "[$&|$1|$$|\\1|$<n>]"])).toBe("[$&|$1|$$|\\1|$<n>]");
  });

  it("ignore empty matches and do not loop", () => {
    expect(redactWith("abc", ["x*", "-"])).toBe("abc");
    expect(redactWith("axxb", ["x*", "-"])).toBe("a-b");
    expect(redactWith("abc", ["^|$|\\b", "-"])).toBe("abc");
    expect(redactWith("🙂a", ["z?", "-"])).toBe("🙂a");
  });

  it("support inline flags, Unicode classes and lone surrogates", () => {
    expect(redactWith("ACME acme", ["(?i)acme", "X"])).toBe("X X");
    expect(redactWith("Jörg Müller", [String.raw`\p{Lu}\p{Ll}+`, "N"])).toBe("N N");
    expect(redactWith("a\ud800b\udc00c", ["[bc]", "-"])).toBe("a\ud800-\udc00-");
  });

  it("reliability.md: run `(a+)+$`, which is exponential in other engines, in linear time", () => {
    expect(redactWith(`${"a".repeat(49_998)}!`, ["(a+)+$", "X"])).toBe(`${"a".repeat(49_998)}!`);
  });

  it("fail when all searches in a text together take too long", () => {
    let nowMs = 0;
    const { find } = compileCustomPattern(
      { pattern: "a.*?b|a", replacement: "X" },
      { position: 3, clock: { monotonic: () => (nowMs += 100) } },
    );
    expect(() => find("aaaaaaaaaa")).toThrow("custom_3 took too long for a text of 10 characters");
  });

  it("fail immediately for similar texts for a minute after a slow text, and then search again", () => {
    let nowMs = 0;
    let looks = 0;
    let stepMs = 0;
    const monotonic = (): number => {
      looks++;
      return (nowMs += stepMs);
    };
    const { find } = compileCustomPattern(
      { pattern: "a", replacement: "X" },
      { position: 1, clock: { monotonic } },
    );
    const text = "a".repeat(100);
    const looksOf = (): number => {
      looks = 0;
      expect(() => find(text)).toThrow("custom_1");
      return looks;
    };

    stepMs = 100;
    expect(looksOf()).toBe(4);
    stepMs = 1;
    expect([looksOf(), looksOf(), looksOf()]).toEqual([1, 1, 1]);
    expect(find("a".repeat(10))).toHaveLength(10);
    nowMs += 60_000;
    expect(find(text)).toHaveLength(100);

    stepMs = 100;
    expect(looksOf()).toBe(4);
    expect(looksOf()).toBe(1);
  });

  it("fail for shorter texts too after a shorter slow text", () => {
    let nowMs = 0;
    let stepMs = 100;
    const { find } = compileCustomPattern(
      { pattern: "a", replacement: "X" },
      { position: 1, clock: { monotonic: () => (nowMs += stepMs) } },
    );
    expect(() => find("a".repeat(1000))).toThrow("took too long for a text of 1000 characters");
    expect(() => find("a".repeat(100))).toThrow("took too long for a text of 100 characters");
    stepMs = 0;
    expect(() => find("a".repeat(100))).toThrow("texts of more than 64 characters fail for 60 seconds");
    expect(find("a".repeat(10))).toHaveLength(10);
  });

  it("in real time: take no longer for a hundred slow texts than for one", () => {
    const { find } = compileCustomPattern(
      { pattern: "a.*?b|a", replacement: "X" },
      { position: 1, clock: systemClock },
    );
    const before = process.cpuUsage();
    for (let text = 0; text < 100; text++) expect(() => find("a".repeat(50_000))).toThrow("custom_1");
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
  });
});

describe("REDACTION_CUSTOM_PATTERNS_JSON (spec 2.6)", () => {
  it("is unset by default, and parsed as JSON", () => {
    expect(load({}).config["redaction.custom_patterns_json"]).toBeUndefined();
    const patterns = [{ pattern: "EMP-[0-9]+", replacement: "[EMPLOYEE]" }];
    const { config } = load({ env: { [VARIABLE]: JSON.stringify(patterns) } });
    expect(config["redaction.custom_patterns_json"]).toEqual(patterns);
    expect(load({ env: { [VARIABLE]: "[]" } }).config["redaction.custom_patterns_json"]).toEqual([]);
  });

  it.each([
    ["invalid JSON", "EMP-[0-9]+", "the text is not valid JSON"],
    ["a value that is not an array", '{"pattern":"a","replacement":"b"}', "must be a JSON array of objects"],
    ["an item that is not an object", '["a"]', "item 1 must be an object"],
    ["an item without a pattern", '[{"replacement":"b"}]', "item 1: pattern must be a string"],
    ["an item without a replacement", '[{"pattern":"a"}]', "item 1: replacement must be a string"],
    [
      "an empty pattern",
      '[{"pattern":"","replacement":"b"}]',
      'item 1: pattern "" is not valid RE2 syntax: the pattern is empty',
    ],
    [
      "an open bracket",
      '[{"pattern":"[a","replacement":"b"}]',
      'item 1: pattern "[a" is not valid RE2 syntax: missing closing ]',
    ],
    [
      "lookahead",
      '[{"pattern":"a(?=b)","replacement":"b"}]',
      'item 1: pattern "a(?=b)" is not valid RE2 syntax: invalid',
    ],
    [
      "lookbehind",
      '[{"pattern":"(?<=a)b","replacement":"b"}]',
      'item 1: pattern "(?<=a)b" is not valid RE2 syntax: invalid',
    ],
    [
      "a back reference",
      String.raw`[{"pattern":"(a)\\1","replacement":"b"}]`,
      "is not valid RE2 syntax: invalid escape sequence",
    ],
  ])("spec 7: %s stops the start", (_what, value, reason) => {
    const found = problems({ env: { [VARIABLE]: value } });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`redaction.custom_patterns_json = `);
    expect(found[0]).toContain(`(${VARIABLE}): must be a JSON array`);
    expect(found[0]).toContain(reason);
  });

  it("reports each invalid pattern on a separate line", () => {
    const patterns = ["(", "ok", "a**"].map((pattern) => ({ pattern, replacement: "" }));
    const found = problems({ env: { [VARIABLE]: JSON.stringify(patterns) } });
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('item 1: pattern "("');
    expect(found[1]).toContain('item 3: pattern "a**"');
    expect(found.join("")).not.toContain("\n");
  });
});
