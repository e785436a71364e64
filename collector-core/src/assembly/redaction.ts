import type { LoadedConfig } from "../config/load-config.js";
import { withoutRedaction, type SpanAndTextRedactor } from "../pipeline/redaction/redactor.js";
import type { SharedTraceRedactor } from "../share/shared-trace.js";
import type { SpanRedactorOptions } from "../pipeline/redaction/span-redactor.js";

/** Creates the redactor if redaction is enabled. It is imported lazily: its patterns take as long to compile as the server to listen. */
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

/** Loads the redactor of files to share, with the first one. */
export async function loadSharedTraceRedactor(): Promise<SharedTraceRedactor> {
  const { createSharedTraceRedactor } = await import("../pipeline/redaction/shared-trace-redactor.js");
  return createSharedTraceRedactor();
}
