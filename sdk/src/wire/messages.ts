/**
 * Messages of a model call, shaped after OpenTelemetry's gen_ai message schema (contract 1).
 * Parts of a type that is not listed are kept as they came.
 */
export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or whatever the provider calls it. */
  role: string;
  parts: MessagePart[];
  /** Why the model stopped, on messages that it wrote. */
  finish_reason?: string;
}

/** One piece of a {@link Message}. */
export type MessagePart =
  | { type: "text" | "reasoning"; content: string }
  | { type: "tool_call"; id: string; name: string; arguments: unknown }
  | { type: "tool_call_response"; id: string; response: unknown }
  | { type: "blob"; modality: string; mime_type: string; content: string }
  | { type: "uri"; modality: string; mime_type: string; uri: string }
  | { type: string; [key: string]: unknown };

/** A tool that was offered to the model (`tool_definitions`). */
export interface ToolDefinition {
  type: string;
  name: string;
  description?: string;
  parameters?: unknown;
}
