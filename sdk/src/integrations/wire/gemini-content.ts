import type { Message, MessagePart, ToolDefinition } from "../../wire/index.js";
import { elementsOf, field, fieldsOf, textOf } from "../json-fields.js";
import { mediaPart, reasoningParts, textParts, toolCallPart, toolResultPart } from "./message-parts.js";
import { toolDefinition } from "./tool-definition.js";

/** The messages of `contents`: a text, parts, one content or a list of contents. */
export function geminiMessages(contents: unknown): Message[] {
  const list = Array.isArray(contents) ? elementsOf(contents) : [contents];
  const isContents = list.some((item) => Array.isArray(field(item, "parts")));
  if (isContents) return list.flatMap(geminiMessage);
  const parts = geminiParts(list);
  return parts.length > 0 ? [{ role: "user", parts }] : [];
}

/** The message of one content. */
export function geminiMessage(content: unknown): Message[] {
  const parts = geminiParts(field(content, "parts") ?? (typeof content === "string" ? [content] : []));
  if (parts.length === 0) return [];
  const role = textOf(field(content, "role")) ?? "user";
  const isResults = parts.every(({ type }) => type === "tool_call_response");
  return [{ role: isResults ? "tool" : role === "model" ? "assistant" : role, parts }];
}

/** The parts of a content. Parts of unknown kind are kept unchanged. */
export function geminiParts(parts: unknown): MessagePart[] {
  return elementsOf(parts).flatMap((part) => {
    if (typeof part === "string") return textParts(part);
    const text = field(part, "text");
    if (typeof text === "string")
      return field(part, "thought") === true ? reasoningParts(text) : textParts(text);
    for (const [kind, read] of Object.entries(PART_KINDS)) {
      const value = fieldsOf(field(part, kind));
      if (value !== undefined) return [read(value)];
    }
    return fieldsOf(part) === undefined ? [] : [{ type: "other", part }];
  });
}

/** Parts by the field that has their content. */
const PART_KINDS: Readonly<Record<string, (value: unknown) => MessagePart>> = {
  functionCall: (call) => toolCallPart(field(call, "id"), field(call, "name"), field(call, "args")),
  functionResponse: (result) =>
    toolResultPart(field(result, "id") ?? field(result, "name"), field(result, "response")),
  inlineData: (data) => {
    const mimeType = textOf(field(data, "mimeType")) ?? "";
    const content = textOf(field(data, "data")) ?? "";
    return { type: "blob", modality: modalityOf(mimeType), mime_type: mimeType, content };
  },
  fileData: (file) => {
    const mimeType = textOf(field(file, "mimeType")) ?? "*/*";
    return { ...mediaPart(modalityOf(mimeType), field(file, "fileUri")), mime_type: mimeType };
  },
  executableCode: (code) => ({
    type: "server_tool_call",
    id: textOf(field(code, "id")) ?? "",
    name: "code_execution",
    server_tool_call: { type: "executable_code", code: field(code, "code") },
  }),
  codeExecutionResult: (result) => ({
    type: "server_tool_call_response",
    id: textOf(field(result, "id")) ?? "",
    server_tool_call_response: {
      type: "code_execution_result",
      outcome: field(result, "outcome"),
      output: field(result, "output"),
    },
  }),
};

function modalityOf(mimeType: string): string {
  const [kind = ""] = mimeType.split("/", 1);
  return ["image", "audio", "video"].includes(kind) ? kind : "file";
}

/** The offered functions, and Google's own tools by their name. */
export function geminiTools(tools: unknown): ToolDefinition[] {
  return elementsOf(tools).flatMap((tool) => {
    const functions = elementsOf(field(tool, "functionDeclarations")).flatMap((definition) =>
      toolDefinition(
        "function",
        field(definition, "name"),
        field(definition, "description"),
        field(definition, "parameters") ?? field(definition, "parametersJsonSchema"),
      ),
    );
    const own = Object.keys(fieldsOf(tool) ?? {}).filter((name) => fieldsOf(field(tool, name)) !== undefined);
    return [...functions, ...own.map((name) => ({ type: name, name }))];
  });
}
