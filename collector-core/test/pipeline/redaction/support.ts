import { BUILT_IN_PATTERNS } from "../../../src/pipeline/redaction/built-in-patterns.js";
import { compileCustomPattern, type CustomPattern } from "../../../src/pipeline/redaction/custom-patterns.js";
import { createTextRedactor, type TextRedactor } from "../../../src/pipeline/redaction/text-redactor.js";

/** A stopped clock, so that a pattern never exceeds its time on a slow machine. The test's timeout ends a hanging pattern. */
const STOPPED_CLOCK = { monotonic: () => 0 };

/** A text redactor with the collector's settings, and its counts. */
export function textRedactor(
  options: { maxTextLength?: number; custom?: readonly CustomPattern[] } = {},
): TextRedactor & { readonly counts: Record<string, number> } {
  const counts: Record<string, number> = {};
  const redactor = createTextRedactor({
    maxTextLength: options.maxTextLength ?? 50_000,
    builtInPatterns: BUILT_IN_PATTERNS,
    customPatterns: (options.custom ?? []).map((pattern, index) =>
      compileCustomPattern(pattern, { position: index + 1, clock: STOPPED_CLOCK }),
    ),
    onRedacted: (pattern, matches) => (counts[pattern] = (counts[pattern] ?? 0) + matches),
  });
  return { ...redactor, counts };
}

/** Redacts a text with the built-in patterns. */
export function redact(text: string): string {
  return textRedactor().redact(text);
}
