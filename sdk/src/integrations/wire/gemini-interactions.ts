import type { Message, MessagePart, ToolDefinition } from "../../wire/index.js";
import { copyFields, elementsOf, field, fieldsOf, indexOf, textOf, type Fields } from "../json-fields.js";
import { appendLimited, keepFields, newTextRoom, type TextRoom } from "../model-client/append-limited.js";
import { IndexedParts } from "../model-client/indexed-parts.js";
import type { ModelOperation, StreamAccumulator } from "../model-client/operation.js";
import { definedOnly, nonEmpty, type ReadAttributes } from "../model-client/read-attributes.js";
import { googleFailure, modelName } from "./gemini.js";
import { googleTokens } from "./gemini-usage.js";
import { mediaPart, reasoningParts, textParts, toolCallPart, toolResultPart } from "./message-parts.js";
import { completionText, promptText } from "./message-texts.js";
import { toolDefinition } from "./tool-definition.js";

/** The Interactions API of Google: `POST /v1beta/interactions`, plain and streamed. */
export const geminiInteraction: ModelOperation = {
  name: "chat",
  spanType: "llm",
  readRequest,
  readResponse,
  readFailure: (response) =>
    googleFailure(field(response, "error")) ??
    (field(response, "status") === "failed"
      ? { type: "interaction_failed", message: "The interaction failed." }
      : undefined),
  createAccumulator,
};

function readRequest(request: unknown): ReadAttributes {
  const system = textParts(field(request, "system_instruction"));
  const input = field(request, "input");
  const messages = [
    ...(system.length > 0 ? [{ role: "system", parts: system }] : []),
    ...stepMessages(Array.isArray(input) ? input : [input], "user"),
  ];
  const config = field(request, "generation_config");
  return definedOnly({
    model: modelName(field(request, "model") ?? field(request, "agent")),
    temperature: field(config, "temperature"),
    top_p: field(config, "top_p"),
    seed: field(config, "seed"),
    stop: field(config, "stop_sequences"),
    max_tokens: field(config, "max_output_tokens"),
    reasoning_effort: textOf(field(config, "thinking_level")),
    tool_choice: textOf(field(config, "tool_choice")),
    previous_response_id: textOf(field(request, "previous_interaction_id")),
    prompt_text: promptText(messages),
    prompt_messages: nonEmpty(messages),
    tool_definitions: nonEmpty(elementsOf(field(request, "tools")).flatMap(interactionTool)),
  });
}

function readResponse(response: unknown): ReadAttributes {
  const steps = field(response, "steps") ?? field(response, "outputs");
  const messages = stepMessages(elementsOf(steps), "assistant").filter(({ role }) => role === "assistant");
  const status = textOf(field(response, "status"));
  const usage = field(response, "usage");
  return definedOnly({
    model: modelName(field(response, "model")),
    response_id: textOf(field(response, "id")),
    service_tier: textOf(field(response, "service_tier")),
    ...googleTokens({
      prompt: field(usage, "total_input_tokens"),
      toolUse: field(usage, "total_tool_use_tokens"),
      output: field(usage, "total_output_tokens"),
      thoughts: field(usage, "total_thought_tokens") ?? field(usage, "total_reasoning_tokens"),
      cached: field(usage, "total_cached_tokens"),
    }),
    finish_reason: status === "in_progress" ? undefined : status,
    completion_text: completionText(messages.slice(-1)),
    completion_messages: nonEmpty(messages),
  });
}

/** Steps, turns and contents as messages. Consecutive steps of the model become one message. */
function stepMessages(steps: readonly unknown[], defaultRole: string): Message[] {
  const messages: Message[] = [];
  for (const step of steps) {
    const role = roleOf(step, defaultRole);
    const parts = stepParts(step);
    const last = messages.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role && role !== "tool") last.parts = [...last.parts, ...parts];
    else messages.push({ role, parts });
  }
  return messages;
}

function roleOf(step: unknown, defaultRole: string): string {
  const role = textOf(field(step, "role"));
  if (role !== undefined) return role === "model" ? "assistant" : role;
  switch (textOf(field(step, "type")) ?? "") {
    case "user_input":
      return "user";
    case "function_result":
      return "tool";
    case "model_output":
    case "thought":
    case "function_call":
      return "assistant";
    default:
      return defaultRole;
  }
}

function stepParts(step: unknown): MessagePart[] {
  if (typeof step === "string") return textParts(step);
  const type = textOf(field(step, "type"));
  switch (type) {
    case undefined:
    case "user_input":
    case "model_output": {
      const content = field(step, "content");
      return (Array.isArray(content) ? elementsOf(content) : [content]).flatMap((part) =>
        part === undefined ? [] : stepParts(part),
      );
    }
    case "text":
      return textParts(field(step, "text"));
    case "thought":
      return elementsOf(field(step, "summary")).flatMap((part) => reasoningParts(field(part, "text")));
    case "function_call":
      return [toolCallPart(field(step, "id"), field(step, "name"), field(step, "arguments"))];
    case "function_result":
      return [toolResultPart(field(step, "call_id"), field(step, "result"))];
    case "image":
    case "audio":
    case "video":
    case "document": {
      const data = textOf(field(step, "data"));
      const mimeType = textOf(field(step, "mime_type")) ?? "*/*";
      return data === undefined
        ? [{ ...mediaPart(type, field(step, "uri")), mime_type: mimeType }]
        : [{ type: "blob", modality: type, mime_type: mimeType, content: data }];
    }
    default:
      // The span copies the step.
      return [step as MessagePart];
  }
}

function interactionTool(tool: unknown): ToolDefinition[] {
  const type = textOf(field(tool, "type"));
  if (type === "function")
    return toolDefinition(type, field(tool, "name"), field(tool, "description"), field(tool, "parameters"));
  // Other fields of tools can contain credentials, such as the headers of an MCP server.
  return type === undefined ? [] : [{ type, name: textOf(field(tool, "name")) ?? type }];
}

/** A step that arrives in pieces. */
interface StepPieces {
  start: Fields;
  text: string;
  summary: string;
  args: string;
}

/** Accumulates the events of a stream. The last event has the usage, and in some versions the steps too. */
function createAccumulator(): StreamAccumulator {
  let interaction: Record<string, unknown> = {};
  let isComplete = false;
  const steps = new IndexedParts<StepPieces>(() => ({ start: {}, text: "", summary: "", args: "" }));
  const room = newTextRoom();
  // The last event may repeat all steps.
  const interactionRoom = newTextRoom();

  return {
    add(event) {
      const type = textOf(field(event, "event_type")) ?? "";
      if (type === "error") interaction["error"] = field(event, "error");
      const sent = field(event, "interaction");
      if (fieldsOf(sent) !== undefined) {
        interaction = { ...copyFields(interaction), ...keepFields(sent, interactionRoom) };
        isComplete ||= type.startsWith("interaction.complete");
        return false;
      }
      const index = indexOf(field(event, "index"), 0);
      const start = fieldsOf(field(event, "step")) ?? fieldsOf(field(event, "content"));
      if (start !== undefined) {
        steps.at(index).start = keepFields(start, room);
        return textOf(field(start, "type")) === "function_call";
      }
      const delta = fieldsOf(field(event, "delta"));
      return delta !== undefined && addDelta(steps.at(index), delta, room);
    },
    response: () => {
      const hasSteps = elementsOf(interaction["steps"] ?? interaction["outputs"]).length > 0;
      return hasSteps || steps.size === 0
        ? interaction
        : { ...interaction, steps: steps.inOrder().map(toStep) };
    },
    isComplete: () => isComplete,
  };
}

/** Returns true if the delta has generated content. */
function addDelta(step: StepPieces, delta: Fields, room: TextRoom): boolean {
  const type = textOf(field(delta, "type")) ?? "";
  switch (type) {
    case "text":
      step.text = appendLimited(step.text, textOf(field(delta, "text")) ?? "", room);
      return textOf(field(delta, "text")) !== undefined;
    case "thought_summary": {
      const text = textOf(field(field(delta, "content"), "text")) ?? "";
      step.summary = appendLimited(step.summary, text, room);
      return text !== "";
    }
    case "arguments_delta":
      step.args = appendLimited(step.args, textOf(field(delta, "arguments")) ?? "", room);
      return true;
    case "thought_signature":
      return false;
    default:
      // Media and calls arrive whole.
      step.start = { ...copyFields(step.start), ...keepFields(delta, room) };
      return true;
  }
}

function toStep({ start, text, summary, args }: StepPieces): unknown {
  const type = textOf(field(start, "type"));
  if (text !== "")
    return type === "text" ? { ...start, text } : { ...start, content: [{ type: "text", text }] };
  if (summary !== "") return { ...start, type: "thought", summary: [{ type: "text", text: summary }] };
  return args === "" ? start : { ...start, arguments: args };
}
