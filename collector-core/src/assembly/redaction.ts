import type { LoadedConfig } from "../config/load-config.js";
import { withoutRedaction, type SpanAndTextRedactor } from "../pipeline/redaction/redactor.js";
import type { SpanRedactorOptions } from "../pipeline/redaction/span-redactor.js";

/** Redaction, where it is on. Its patterns are loaded only then: to compile them takes as long as to open the port. */
export async function createRedactor(
  config: LoadedConfig["config"],
  parts: Pick<SpanRedactorOptions, "counters" | "onFailure" | "clock" | "nextTurn">,
): Promise<SpanAndTextRedactor> {
  if (!config["redaction.enabled"]) return withoutRedaction;
  const { createSpanRedactor } = await import("../pipeline/redaction/span-redactor.js");
  return createSpanRedactor({
    maxTextLength: config["redaction.max_text_length"],
    dropOnFailure: config["redaction.drop_on_failure"],
    customPatterns: config["redaction.custom_patterns_json"] ?? [],
    ...parts,
  });
}
