import { MAX_TEXT_LENGTH } from "../../share/cut-texts.js";
import type { SharedTraceRedactor } from "../../share/shared-trace.js";
import { BUILT_IN_PATTERNS } from "./built-in-patterns.js";
import { createKeyReader } from "./key-meaning.js";
import { attributesInSteps } from "./redact-in-steps.js";
import { createTextRedactor } from "./text-redactor.js";
import { createValueRedactor } from "./value-redactor.js";

/** Creates the redactor of files to share: the built-in patterns, also where redaction is not enabled. */
export function createSharedTraceRedactor(): SharedTraceRedactor {
  const onRedacted = (): void => undefined;
  const textRedactor = createTextRedactor({
    maxTextLength: MAX_TEXT_LENGTH,
    builtInPatterns: BUILT_IN_PATTERNS,
    customPatterns: [],
    onRedacted,
  });
  const values = createValueRedactor({
    textRedactor,
    readKey: createKeyReader(BUILT_IN_PATTERNS),
    onRedacted,
  });
  return {
    text: (text) => values.text(text),
    attributes: (attributes) => attributesInSteps(values, attributes),
  };
}
