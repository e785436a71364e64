import { BUILT_IN_PATTERNS } from "../../../src/pipeline/redaction/built-in-patterns.js";
import { compileCustomPattern, type CustomPattern } from "../../../src/pipeline/redaction/custom-patterns.js";
import { createTextRedactor, type TextRedactor } from "../../../src/pipeline/redaction/text-redactor.js";

/** No time passes: a pattern never runs out of its time, however slow the machine. One that hangs ends by the test's timeout. */
const STOPPED_CLOCK = { monotonic: () => 0 };

/** A text redactor as the collector makes it, and what it counted. */
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

/** What the built-in patterns make of a text. */
export function redact(text: string): string {
  return textRedactor().redact(text);
}
