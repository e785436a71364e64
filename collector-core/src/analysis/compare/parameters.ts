import type { NormalizedSpan } from "../../api-schema/trace.js";
import { attributesOf } from "../attributes.js";
import { canonicalJson } from "../canonical-json.js";

/** Attributes that are settings of a request to a model, or name its prompt. */
const PARAMETERS: ReadonlySet<string> = new Set([
  "model",
  "provider",
  "prompt_name",
  "prompt_version",
  "prompt_template_hash",
  "temperature",
  "max_tokens",
  "stream",
  "top_p",
  "top_k",
  "frequency_penalty",
  "presence_penalty",
  "stop",
  "stop_sequences",
  "seed",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "reasoning_effort",
  "thinking",
  "service_tier",
]);
/** Beginnings of the names of other settings. */
const PREFIXES = ["gen_ai.request.", "gen_ai.openai.request.", "llm.invocation_parameters", "ai.settings."];

/** Whether an attribute is a setting of a request to a model. */
export function isParameter(key: string): boolean {
  return PARAMETERS.has(key) || PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** The settings of a request as texts that are equal for equal settings, without the model. */
export function parameterKeys(span: NormalizedSpan): string[] {
  return Object.entries(attributesOf(span))
    .filter(([key]) => isParameter(key) && key !== "model")
    .map(([key, value]) => `${key} ${canonicalJson(value)}`)
    .sort();
}
