import { compileCustomPattern, type CustomPattern } from "../pipeline/redaction/custom-patterns.js";
import { systemClock } from "../runtime/clock.js";
import { errorMessage } from "../runtime/describe-error.js";
import type { OptionKind } from "./option-kinds.js";
import { showRaw } from "./show-value.js";

/** A JSON array of {@link CustomPattern}s (spec 2.6). Each invalid pattern is reported as its own problem. */
export function customPatterns(): OptionKind<readonly CustomPattern[]> {
  return {
    rule: "a JSON array of objects with the strings `pattern` (a regular expression) and `replacement`",
    schema: {
      type: "array",
      items: {
        type: "object",
        required: ["pattern", "replacement"],
        properties: { pattern: { type: "string", minLength: 1 }, replacement: { type: "string" } },
      },
    },
    parse(text) {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return undefined;
      }
    },
    check(value) {
      if (!Array.isArray(value))
        return { ok: false, detail: value === undefined ? "the text is not valid JSON" : "" };
      const problems = value.flatMap((item: unknown, index) => problemOf(item, index + 1) ?? []);
      const [first, ...more] = problems;
      if (first !== undefined) return { ok: false, detail: first, moreDetails: more };
      return {
        ok: true,
        value: (value as CustomPattern[]).map(({ pattern, replacement }) => ({ pattern, replacement })),
      };
    },
  };
}

function problemOf(item: unknown, position: number): string | undefined {
  if (typeof item !== "object" || item === null) return `item ${position} must be an object`;
  const { pattern, replacement } = item as Record<string, unknown>;
  if (typeof pattern !== "string") return `item ${position}: pattern must be a string`;
  if (typeof replacement !== "string") return `item ${position}: replacement must be a string`;
  try {
    compileCustomPattern({ pattern, replacement }, { position, clock: systemClock });
    return undefined;
  } catch (error) {
    const reason = errorMessage(error);
    return `item ${position}: pattern ${showRaw(JSON.stringify(pattern))} is not valid RE2 syntax: ${showRaw(reason)}`;
  }
}
