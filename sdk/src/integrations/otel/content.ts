import { capturesCompletion, capturesPrompt } from "../../capture/integration.js";

/** Attributes of prompts, arguments and other input, under the names of all libraries. */
const INPUT =
  /(?:^|[._:])(?:inputs?|prompts?|system_instructions?|arguments|args|request_data|llm_request|query\.text|definitions|tools|embedding\.text|values?|documents|content)(?:[._]|$)|messages/;
/** Attributes of completions, results and other output. */
const OUTPUT =
  /(?:^|[._:])(?:outputs?|completions?|results?|final_result|response_data|llm_response|tool_response|text|object|reasoning|toolCalls|documents|content)(?:[._]|$)|messages/;
/** Names that have such a word in their key. */
const NAMES = /[._](?:model|ids?|names?|type|mime_type|role|finish_reasons?)$/;
/** Texts of errors may quote either. */
const ERRORS = /^(?:exception\.(?:message|stacktrace)|error\.message|otel\.status_description)$/;

/** False for an attribute with text that the capture switches forbid. */
export function isAllowed(key: string, value: unknown): boolean {
  if (typeof value === "number" || typeof value === "boolean") return true;
  const keepsInput = capturesPrompt();
  const keepsOutput = capturesCompletion();
  if (keepsInput && keepsOutput) return true;
  if (!keepsInput && !keepsOutput && ERRORS.test(key)) return false;
  if (NAMES.test(key)) return true;
  return (keepsInput || !INPUT.test(key)) && (keepsOutput || !OUTPUT.test(key));
}
