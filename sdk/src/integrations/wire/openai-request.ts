import { field, fieldsOf, textOf } from "../json-fields.js";
import { definedOnly, type ReadAttributes } from "../model-client/read-attributes.js";

/** Parameters whose attribute has the same name. */
const SAME_NAME = [
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

/** The parameters of a request to chat completions, responses, completions or embeddings. */
export function requestParameters(request: unknown): ReadAttributes {
  const parameters: Record<string, unknown> = {};
  for (const key of SAME_NAME) parameters[key] = field(request, key);
  const text = field(request, "text");
  const reasoning = field(request, "reasoning");
  return definedOnly({
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

/** `auto`, `none`, `required`, or the name of the tool that the model must call. */
function toolChoice(choice: unknown): string | undefined {
  const named = fieldsOf(choice);
  if (named === undefined) return textOf(choice);
  return (
    textOf(field(named, "name")) ??
    textOf(field(field(named, "function"), "name")) ??
    textOf(field(field(named, "custom"), "name")) ??
    textOf(field(named, "type"))
  );
}
