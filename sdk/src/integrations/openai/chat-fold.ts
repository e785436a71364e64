import { countOf, elementsOf, field, fieldsOf, indexOf, textOf, type Fields } from "../json-fields.js";
import { reasoningText } from "./chat-messages.js";
import { appended } from "./folded-text.js";
import type { StreamFold } from "./operation.js";

/** A call that comes in pieces: the id and the name with the first of them, the arguments over all. */
interface FoldedCall {
  /** Where it stands among the calls, as the provider says. */
  readonly index: number;
  id: string | undefined;
  name: string;
  arguments: string;
  isCustom: boolean;
}

/** One of the answers that a stream tells piece by piece. */
interface FoldedChoice {
  role: string | undefined;
  content: string;
  reasoning: string;
  refusal: string;
  audio: { data: string; transcript: string } | undefined;
  readonly calls: FoldedCall[];
  functionCall: FoldedCall | undefined;
  finishReason: string | undefined;
  error: Fields | undefined;
}

/** Folds `chat.completion.chunk`s into a chat completion. */
export function startChatFold(): StreamFold {
  /** What stands on the chunks beside the choices: the last that says something wins. */
  const about: Record<string, unknown> = {};
  const choices = new Map<number, FoldedChoice>();

  return {
    add(chunk) {
      const fields = fieldsOf(chunk);
      if (fields === undefined) return false;
      noteAbout(about, fields);
      let generated = false;
      for (const [position, choice] of elementsOf(fields["choices"]).entries()) {
        const folded = entry(choices, indexOf(field(choice, "index"), position), newChoice);
        if (addDelta(folded, field(choice, "delta"))) generated = true;
        folded.finishReason = textOf(field(choice, "finish_reason")) ?? folded.finishReason;
        folded.error = fieldsOf(field(choice, "error")) ?? folded.error;
      }
      return generated;
    },
    response: () => ({
      ...about,
      choices: inOrder(choices).map((choice) => ({
        message: toMessage(choice),
        finish_reason: choice.finishReason,
        error: choice.error,
      })),
    }),
    isComplete: () =>
      choices.size > 0 && [...choices.values()].every(({ finishReason }) => finishReason !== undefined),
  };
}

/** Azure's first chunk, which tells of the prompt's filters, has an empty model and an empty id. */
function noteAbout(about: Record<string, unknown>, chunk: Fields): void {
  for (const key of ["id", "model", "service_tier", "system_fingerprint"]) {
    const value = textOf(chunk[key]);
    if (value !== undefined) about[key] = value;
  }
  for (const key of ["usage", "x_groq", "error"]) {
    const value = fieldsOf(chunk[key]);
    if (value !== undefined) about[key] = value;
  }
}

/** True where the piece carries anything generated; the role alone, and empty texts, are not. */
function addDelta(choice: FoldedChoice, delta: unknown): boolean {
  const fields = fieldsOf(delta);
  if (fields === undefined) return false;
  choice.role = textOf(fields["role"]) ?? choice.role;
  const { content: text, reasoning: thought } = deltaContent(fields);
  const reasoning = reasoningText(fields) + thought;
  const refusal = textOf(fields["refusal"]) ?? "";
  choice.content = appended(choice.content, text);
  choice.reasoning = appended(choice.reasoning, reasoning);
  choice.refusal = appended(choice.refusal, refusal);
  let generated = text !== "" || reasoning !== "" || refusal !== "";
  if (addAudio(choice, fields["audio"])) generated = true;
  for (const [position, call] of elementsOf(fields["tool_calls"]).entries()) {
    addCall(choice, call, position);
    generated = true;
  }
  const functionCall = fieldsOf(fields["function_call"]);
  if (functionCall !== undefined) {
    choice.functionCall ??= newCall(0);
    addToCall(choice.functionCall, functionCall);
    generated = true;
  }
  return generated;
}

/** Mistral's reasoning models send parts instead of a text, thoughts among them. */
function deltaContent(delta: Fields): { content: string; reasoning: string } {
  if (typeof delta["content"] === "string") return { content: delta["content"], reasoning: "" };
  let content = "";
  let reasoning = "";
  for (const part of elementsOf(delta["content"])) {
    content += textOf(field(part, "text")) ?? "";
    for (const thought of elementsOf(field(part, "thinking")))
      reasoning += textOf(field(thought, "text")) ?? "";
  }
  return { content, reasoning };
}

function addAudio(choice: FoldedChoice, audio: unknown): boolean {
  const data = textOf(field(audio, "data")) ?? "";
  const transcript = textOf(field(audio, "transcript")) ?? "";
  if (data === "" && transcript === "") return false;
  choice.audio ??= { data: "", transcript: "" };
  choice.audio.data = appended(choice.audio.data, data);
  choice.audio.transcript = appended(choice.audio.transcript, transcript);
  return true;
}

function addCall(choice: FoldedChoice, piece: unknown, position: number): void {
  const custom = fieldsOf(field(piece, "custom"));
  const called = custom ?? fieldsOf(field(piece, "function")) ?? {};
  const id = textOf(field(piece, "id"));
  const folded = callOf(choice.calls, piece, id, textOf(called["name"]), position);
  folded.id ??= id;
  if (custom === undefined) {
    addToCall(folded, called);
    return;
  }
  folded.isCustom = true;
  folded.name ||= textOf(custom["name"]) ?? "";
  folded.arguments = appended(folded.arguments, textOf(custom["input"]) ?? "");
}

/**
 * The call that a piece belongs to. Where the index is missing, as with Mistral and some local servers, a piece that
 * brings a new id begins a call, and one without goes on with the call before. Google's endpoint gives all calls of an
 * answer one index: with an id and a name of its own it is another call. (A new id alone is not: vLLM has had one on every
 * piece.)
 */
function callOf(
  calls: FoldedCall[],
  piece: unknown,
  id: string | undefined,
  name: string | undefined,
  position: number,
): FoldedCall {
  const index = countOf(field(piece, "index")) ?? callIndex(calls, id, position);
  const known = calls.findLast((call) => call.index === index);
  const isAnother = id !== undefined && name !== undefined && known?.id !== undefined && known.id !== id;
  if (known !== undefined && !isAnother) return known;
  const call = newCall(index);
  calls.push(call);
  return call;
}

function callIndex(calls: readonly FoldedCall[], id: string | undefined, position: number): number {
  if (id === undefined) return Math.max(calls.length - 1, position);
  return calls.find((call) => call.id === id)?.index ?? calls.length;
}

function addToCall(call: FoldedCall, piece: Fields): void {
  call.name ||= textOf(piece["name"]) ?? "";
  const args = piece["arguments"];
  // A few servers send the arguments as the object that they stand for.
  const text = typeof args === "object" && args !== null ? jsonText(args) : (textOf(args) ?? "");
  call.arguments = appended(call.arguments, text);
}

/** Empty for what JSON cannot say, such as a BigInt of a client that is a double. */
function jsonText(value: object): string {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text ?? "";
  } catch {
    return "";
  }
}

function toMessage(choice: FoldedChoice): unknown {
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

function toToolCall({ id, name, arguments: args, isCustom }: FoldedCall): unknown {
  return isCustom ? { id, custom: { name, input: args } } : { id, function: { name, arguments: args } };
}

function newChoice(): FoldedChoice {
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

function newCall(index: number): FoldedCall {
  return { index, id: undefined, name: "", arguments: "", isCustom: false };
}

function entry<T>(entries: Map<number, T>, index: number, create: () => T): T {
  const existing = entries.get(index);
  if (existing !== undefined) return existing;
  const created = create();
  entries.set(index, created);
  return created;
}

function inOrder<T>(entries: ReadonlyMap<number, T>): T[] {
  return [...entries].sort(([left], [right]) => left - right).map(([, value]) => value);
}
