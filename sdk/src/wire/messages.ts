/**
 * A message of a model call, in the shape of OpenTelemetry's gen_ai message schema (contract 1). Parts of other types are
 * stored unchanged.
 */
export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or another name that the provider uses. */
  role: string;
  parts: MessagePart[];
  /** Why the model stopped; only on messages of the model. */
  finish_reason?: string;
}

/** A part of a {@link Message}. */
export type MessagePart =
  | { type: "text" | "reasoning"; content: string }
  | { type: "tool_call"; id: string; name: string; arguments: unknown }
  | { type: "tool_call_response"; id: string; response: unknown }
  | { type: "blob"; modality: string; mime_type: string; content: string }
  | { type: "uri"; modality: string; mime_type: string; uri: string }
  | { type: string; [key: string]: unknown };

/** A tool that the model may call (`tool_definitions`). */
export interface ToolDefinition {
  type: string;
  name: string;
  description?: string;
  parameters?: unknown;
}
