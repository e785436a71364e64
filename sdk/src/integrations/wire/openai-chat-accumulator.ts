import { countOf, elementsOf, field, fieldsOf, indexOf, textOf, type Fields } from "../json-fields.js";
import {
  appendLimited,
  keepFields,
  keepText,
  newTextRoom,
  type TextRoom,
} from "../model-client/append-limited.js";
import { IndexedParts, MAX_PARTS } from "../model-client/indexed-parts.js";
import type { StreamAccumulator } from "../model-client/operation.js";
import { reasoningText } from "./openai-messages.js";

/** A tool call that arrives in pieces: id and name with the first piece, the arguments with all of them. */
interface ToolCall {
  /** The provider's index of the call. */
  readonly index: number;
  id: string | undefined;
  name: string;
  arguments: string;
  isCustom: boolean;
}

/** A choice that arrives in pieces. */
interface Choice {
  role: string | undefined;
  content: string;
  reasoning: string;
  refusal: string;
  audio: { data: string; transcript: string } | undefined;
  readonly calls: ToolCall[];
  functionCall: ToolCall | undefined;
  finishReason: string | undefined;
  error: Fields | undefined;
}

/** Accumulates `chat.completion.chunk`s into a chat completion. */
export function createChatAccumulator(): StreamAccumulator {
  /** Fields of the chunks beside the choices. The last chunk that has a value wins. */
  const metadata: Record<string, unknown> = {};
  const choices = new IndexedParts<Choice>(newChoice);
  const room = newTextRoom();

  return {
    add(chunk) {
      const fields = fieldsOf(chunk);
      if (fields === undefined) return false;
      addMetadata(metadata, fields);
      let isGenerated = false;
      for (const [position, piece] of elementsOf(field(fields, "choices")).entries()) {
        const choice = choices.at(indexOf(field(piece, "index"), position));
        if (addDelta(choice, field(piece, "delta"), room)) isGenerated = true;
        choice.finishReason = keepText(field(piece, "finish_reason"), room) ?? choice.finishReason;
        const error = fieldsOf(field(piece, "error"));
        if (error !== undefined) choice.error = keepFields(error, room);
      }
      return isGenerated;
    },
    response: () => ({
      ...metadata,
      choices: choices.inOrder().map((choice) => ({
        message: toMessage(choice),
        finish_reason: choice.finishReason,
        error: choice.error,
      })),
    }),
    isComplete: () =>
      choices.size > 0 && choices.inOrder().every(({ finishReason }) => finishReason !== undefined),
  };
}

/** Empty texts are skipped: Azure's first chunk, with the results of the prompt filters, has an empty model and id. */
export function addMetadata(metadata: Record<string, unknown>, chunk: Fields): void {
  for (const key of ["id", "model", "service_tier", "system_fingerprint"]) {
    const value = textOf(field(chunk, key));
    if (value !== undefined) metadata[key] = value;
  }
  for (const key of ["usage", "x_groq", "error"]) {
    const value = fieldsOf(field(chunk, key));
    if (value !== undefined) metadata[key] = value;
  }
}

/** Returns true if the delta has generated content. A role alone and empty texts do not count. */
function addDelta(choice: Choice, delta: unknown, room: TextRoom): boolean {
  const fields = fieldsOf(delta);
  if (fields === undefined) return false;
  choice.role = keepText(field(fields, "role"), room) ?? choice.role;
  const content = deltaContent(fields);
  const reasoning = reasoningText(fields) + content.reasoning;
  const refusal = textOf(field(fields, "refusal")) ?? "";
  choice.content = appendLimited(choice.content, content.text, room);
  choice.reasoning = appendLimited(choice.reasoning, reasoning, room);
  choice.refusal = appendLimited(choice.refusal, refusal, room);
  let isGenerated = content.text !== "" || reasoning !== "" || refusal !== "";
  if (addAudio(choice, field(fields, "audio"), room)) isGenerated = true;
  for (const [position, call] of elementsOf(field(fields, "tool_calls")).entries()) {
    addToolCall(choice, call, position, room);
    isGenerated = true;
  }
  const functionCall = fieldsOf(field(fields, "function_call"));
  if (functionCall !== undefined) {
    choice.functionCall ??= newToolCall(0);
    addToCall(choice.functionCall, functionCall, room);
    isGenerated = true;
  }
  return isGenerated;
}

/** Mistral's reasoning models send a list of parts instead of a text. Some of these parts are reasoning. */
function deltaContent(delta: Fields): { text: string; reasoning: string } {
  const content = field(delta, "content");
  if (typeof content === "string") return { text: content, reasoning: "" };
  let text = "";
  let reasoning = "";
  for (const part of elementsOf(content)) {
    text += textOf(field(part, "text")) ?? "";
    for (const thought of elementsOf(field(part, "thinking")))
      reasoning += textOf(field(thought, "text")) ?? "";
  }
  return { text, reasoning };
}

function addAudio(choice: Choice, audio: unknown, room: TextRoom): boolean {
  const data = textOf(field(audio, "data")) ?? "";
  const transcript = textOf(field(audio, "transcript")) ?? "";
  if (data === "" && transcript === "") return false;
  choice.audio ??= { data: "", transcript: "" };
  choice.audio.data = appendLimited(choice.audio.data, data, room);
  choice.audio.transcript = appendLimited(choice.audio.transcript, transcript, room);
  return true;
}

function addToolCall(choice: Choice, piece: unknown, position: number, room: TextRoom): void {
  const custom = fieldsOf(field(piece, "custom"));
  const called = custom ?? fieldsOf(field(piece, "function")) ?? {};
  const id = textOf(field(piece, "id"));
  const call = toolCallOf(choice.calls, piece, id, textOf(field(called, "name")), position);
  call.id ??= keepText(id, room);
  if (custom === undefined) {
    addToCall(call, called, room);
    return;
  }
  call.isCustom = true;
  call.name ||= keepText(field(custom, "name"), room) ?? "";
  call.arguments = appendLimited(call.arguments, textOf(field(custom, "input")) ?? "", room);
}

/**
 * The call that a piece belongs to. If the index is missing, as with Mistral and some local servers, a piece with a new id
 * starts a call, and a piece without an id continues the previous call. Google's endpoint gives all calls of a response the
 * same index: a piece with a new id and a name starts another call. A new id alone does not, because some versions of vLLM
 * send a new id with every piece.
 */
function toolCallOf(
  calls: ToolCall[],
  piece: unknown,
  id: string | undefined,
  name: string | undefined,
  position: number,
): ToolCall {
  const index = countOf(field(piece, "index")) ?? indexOfCall(calls, id, position);
  const existing = calls.findLast((call) => call.index === index);
  const isOther = id !== undefined && name !== undefined && existing?.id !== undefined && existing.id !== id;
  if (existing !== undefined && !isOther) return existing;
  const call = newToolCall(index);
  if (calls.length < MAX_PARTS) calls.push(call);
  return call;
}

function indexOfCall(calls: readonly ToolCall[], id: string | undefined, position: number): number {
  if (id === undefined) return Math.max(calls.length - 1, position);
  return calls.find((call) => call.id === id)?.index ?? calls.length;
}

function addToCall(call: ToolCall, piece: Fields, room: TextRoom): void {
  call.name ||= keepText(field(piece, "name"), room) ?? "";
  const args = field(piece, "arguments");
  // Some servers send the arguments as an object instead of JSON text.
  const text = typeof args === "object" && args !== null ? jsonText(args) : (textOf(args) ?? "");
  call.arguments = appendLimited(call.arguments, text, room);
}

/** Empty for values that JSON cannot carry, such as a BigInt in a test double. */
function jsonText(value: object): string {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text ?? "";
  } catch {
    return "";
  }
}

function toMessage(choice: Choice): unknown {
  const { role, content, reasoning, refusal, audio, functionCall } = choice;
  return {
    role,
    content,
    reasoning_content: reasoning,
    refusal,
    audio,
    tool_calls: choice.calls.toSorted((left, right) => left.index - right.index).map(toToolCall),
    function_call: functionCall,
  };
}

function toToolCall({ id, name, arguments: args, isCustom }: ToolCall): unknown {
  return isCustom ? { id, custom: { name, input: args } } : { id, function: { name, arguments: args } };
}

function newChoice(): Choice {
  return {
    role: undefined,
    content: "",
    reasoning: "",
    refusal: "",
    audio: undefined,
    calls: [],
    functionCall: undefined,
    finishReason: undefined,
    error: undefined,
  };
}

function newToolCall(index: number): ToolCall {
  return { index, id: undefined, name: "", arguments: "", isCustom: false };
}
