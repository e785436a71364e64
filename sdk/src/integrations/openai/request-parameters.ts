import { field, fieldsOf, textOf } from "../json-fields.js";
import { defined, type ReadAttributes } from "./read-attributes.js";

/** Parameters that stand on the span under the name that they have in the request. */
const AS_THEY_ARE = [
  "temperature",
  "top_p",
  "n",
  "seed",
  "stop",
  "frequency_penalty",
  "presence_penalty",
  "parallel_tool_calls",
  "previous_response_id",
  "service_tier",
  "dimensions",
  "encoding_format",
] as const;

/** How the model was asked to answer, in chat completions, responses, completions and embeddings alike. */
export function requestParameters(request: unknown): ReadAttributes {
  const parameters: Record<string, unknown> = {};
  for (const key of AS_THEY_ARE) parameters[key] = field(request, key);
  const text = field(request, "text");
  const reasoning = field(request, "reasoning");
  return defined({
    ...parameters,
    max_tokens:
      field(request, "max_completion_tokens") ??
      field(request, "max_tokens") ??
      field(request, "max_output_tokens"),
    reasoning_effort: field(request, "reasoning_effort") ?? field(reasoning, "effort"),
    verbosity: field(request, "verbosity") ?? field(text, "verbosity"),
    response_format: field(field(request, "response_format"), "type") ?? field(field(text, "format"), "type"),
    tool_choice: toolChoice(field(request, "tool_choice") ?? field(request, "function_call")),
  });
}

/** `auto`, `none`, `required`, or the name of the one tool that the model must call. */
function toolChoice(choice: unknown): string | undefined {
  const named = fieldsOf(choice);
  if (named === undefined) return textOf(choice);
  return (
    textOf(named["name"]) ??
    textOf(field(named["function"], "name")) ??
    textOf(field(named["custom"], "name")) ??
    textOf(named["type"])
  );
}
