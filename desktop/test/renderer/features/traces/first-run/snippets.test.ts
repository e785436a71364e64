import { describe, expect, it } from "vitest";
import { highlightLine } from "../../../../../src/renderer/features/traces/first-run/highlight.js";
import { SNIPPETS } from "../../../../../src/renderer/features/traces/first-run/snippets.js";

describe("snippets", () => {
  it("begin with one that needs no package of this project", () => {
    expect(SNIPPETS[0]?.code("http://127.0.0.1:8080", false)).not.toContain("@obspan");
  });

  it("keep every character when they are coloured", () => {
    const pieces = SNIPPETS.flatMap(({ code, language }) =>
      [false, true].map((wantsKey) => ({ text: code("http://127.0.0.1:8080", wantsKey), language })),
    );
    for (const { text: code, language } of pieces) {
      for (const line of code.split("\n")) {
        expect(
          highlightLine(line, language)
            .map(({ text }) => text)
            .join(""),
        ).toBe(line);
      }
    }
  });

  it("take the key from the environment only if the collector requires one", () => {
    for (const { code } of SNIPPETS) {
      expect(code("http://127.0.0.1:8080", true)).toMatch(/key.*OBS_API_KEY/i);
      expect(code("http://127.0.0.1:8080", false)).not.toContain("OBS_API_KEY");
    }
  });

  it("distinguish comments, keys, strings and numbers", () => {
    expect(highlightLine('# "a": 1', "shell")).toEqual([{ text: '# "a": 1', role: "comment" }]);
    const roles = highlightLine('{"model": "gpt", "tokens_input": 12}', "python").filter(({ role }) => role);
    expect(roles.map(({ role }) => role)).toEqual(["key", "string", "key", "number"]);
  });
});
