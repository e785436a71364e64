import { field } from "../json-fields.js";
import type { ReadAttributes } from "../model-client/read-attributes.js";

/** The parameters of a chat request, of both versions of the API. */
export function cohereParameters(request: unknown): ReadAttributes {
  return {
    temperature: field(request, "temperature"),
    top_p: field(request, "p"),
    seed: field(request, "seed"),
    stop: field(request, "stop_sequences"),
    max_tokens: field(request, "max_tokens"),
    frequency_penalty: field(request, "frequency_penalty"),
    presence_penalty: field(request, "presence_penalty"),
    response_format: field(field(request, "response_format"), "type"),
    tool_choice: field(request, "tool_choice"),
  };
}
