import { copyText } from "../span/kept-text.js";
import { isRecord } from "../span/span-facts.js";

/** A tool call that the model requested. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** A turn of the conversation before the completion. */
export interface Turn {
  readonly role: string;
  readonly text: string;
  readonly tool_calls?: readonly ToolCall[];
}

/** The text of a span to evaluate. Fields without a value are absent; long texts are truncated in the middle. */
export interface EvaluatedText {
  /** The system instructions. */
  readonly system?: string;
  /** The last user message. */
  readonly prompt?: string;
  /** The other turns, without tool results. */
  readonly conversation?: readonly Turn[];
  /** Results of tools and retrieval. */
  readonly sources?: readonly string[];
  /** The tools that the model could call. */
  readonly tools?: readonly { readonly name: string; readonly description?: string }[];
  /** The text of the model's answer. */
  readonly completion?: string;
  /** The tool calls of the model's answer. */
  readonly tool_calls?: readonly ToolCall[];
}

/** Maximum characters of each text: enough for a verdict, and together within the context of a small model. */
const LIMITS = {
  system: 8000,
  prompt: 20_000,
  turn: 4000,
  source: 8000,
  completion: 20_000,
  tools: 200,
  role: 32,
  /** Name of a tool. */
  name: 200,
  /** Arguments of a call in the answer. */
  arguments: 4000,
  /** Arguments of a call in an earlier turn. */
  turnArguments: 1000,
} as const;
/** Maximum characters of all turns, of all sources and of all calls in the answer, as JSON. The latest turns and sources are kept. */
const MAX_TURNS_LENGTH = 20_000;
const MAX_SOURCES_LENGTH = 30_000;
const MAX_CALLS_LENGTH = 20_000;
const MAX_TOOLS = 64;
const MAX_TOOL_CALLS = 32;
/** Together with the text of the turn they fit in {@link MAX_TURNS_LENGTH}. */
const MAX_TURN_TOOL_CALLS = 8;

/** Reads the text to evaluate from the attributes of a span: its messages or its plain texts (contract 1). */
export function readEvaluatedText(spanAttributes: unknown): EvaluatedText {
  const attributes = isRecord(spanAttributes) ? spanAttributes : {};
  const turns = readTurns(attributes["prompt_messages"]);
  const answer = readTurns(attributes["completion_messages"]);
  const system = joinNonEmpty(turns.filter(({ role }) => SYSTEM_ROLES.has(role)).map(({ text }) => text));
  const dialogue = turns.filter(({ role, text }) => !SYSTEM_ROLES.has(role) && text !== "");
  const promptIndex = dialogue.findLastIndex(({ role }) => role === "user");
  const conversation = keepLatest(
    dialogue.flatMap(({ role, text, toolCalls }, index) =>
      index === promptIndex || role === "tool"
        ? []
        : [
            {
              role: truncateMiddle(role, LIMITS.role),
              text: truncateMiddle(text, LIMITS.turn),
              ...(toolCalls.length > 0 ? { tool_calls: callsOfTurn(toolCalls) } : {}),
            },
          ],
    ),
    MAX_TURNS_LENGTH,
  );
  const sources = keepLatest(
    turns.flatMap(({ sources }) => sources).map((source) => truncateMiddle(source, LIMITS.source)),
    MAX_SOURCES_LENGTH,
  );
  const prompt =
    plainText(attributes, "prompt_text", "input_text") ??
    (promptIndex < 0 ? undefined : dialogue[promptIndex]?.text);
  const completion =
    plainText(attributes, "completion_text", "output_text") ?? joinNonEmpty(answer.map(({ text }) => text));
  const answerCalls = answer.flatMap(({ toolCalls }) => toolCalls).slice(0, MAX_TOOL_CALLS);
  const calls = keepFirst(
    answerCalls.map((call) => boundedCall(call)),
    MAX_CALLS_LENGTH,
  );
  const tools = readTools(attributes["tool_definitions"]);
  return {
    ...(system === undefined ? {} : { system: truncateMiddle(system, LIMITS.system) }),
    ...(conversation.length > 0 ? { conversation } : {}),
    ...(prompt === undefined ? {} : { prompt: truncateMiddle(prompt, LIMITS.prompt) }),
    ...(sources.length > 0 ? { sources } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(completion === undefined ? {} : { completion: truncateMiddle(completion, LIMITS.completion) }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

/** Maximum characters of a completion. */
export const MAX_COMPLETION_LENGTH = LIMITS.completion;

const OMISSION = /\n\[… (\d+) characters left out …\]\n/;

/** Returns the number of characters that truncation removed from a completion; 0 for a complete one. */
export function omittedFromCompletion(completion: string): number {
  // A completion within the limit may contain the same words itself.
  return completion.length <= LIMITS.completion ? 0 : Number(OMISSION.exec(completion)?.[1] ?? 0);
}

/** True when the model answered with text or a tool call. */
export function hasAnswer(text: EvaluatedText): boolean {
  return text.completion !== undefined || text.tool_calls !== undefined;
}

const SYSTEM_ROLES: ReadonlySet<string> = new Set(["system", "developer"]);

interface ReadTurn {
  readonly role: string;
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly sources: readonly string[];
}

function readTurns(messages: unknown): ReadTurn[] {
  if (!Array.isArray(messages)) return [];
  return (messages as unknown[]).flatMap((message) => {
    if (!isRecord(message)) return [];
    const parts = Array.isArray(message["parts"]) ? (message["parts"] as unknown[]).filter(isRecord) : [];
    return {
      role: typeof message["role"] === "string" ? message["role"] : "",
      text: parts.flatMap(partText).join("\n"),
      toolCalls: parts.flatMap(partToolCall),
      sources: parts.flatMap(({ type, response }) =>
        type === "tool_call_response" && response !== undefined ? [asText(response)] : [],
      ),
    };
  });
}

function partText(part: Readonly<Record<string, unknown>>): string[] {
  const { type, content, modality, mime_type: mimeType } = part;
  if (type === "text" && typeof content === "string") return [content];
  // The judge cannot read a file, but learns that there was one.
  if (type === "blob" || type === "uri")
    return [`[${asText(modality ?? "file")}, ${asText(mimeType ?? "?")}]`];
  return [];
}

function partToolCall(part: Readonly<Record<string, unknown>>): ToolCall[] {
  const { type, name, arguments: args } = part;
  return type === "tool_call" && typeof name === "string" ? [{ name, arguments: args }] : [];
}

function callsOfTurn(calls: readonly ToolCall[]): ToolCall[] {
  return calls.slice(0, MAX_TURN_TOOL_CALLS).map((call) => boundedCall(call, LIMITS.turnArguments));
}

function boundedCall(call: ToolCall, maxLength: number = LIMITS.arguments): ToolCall {
  const text = asText(call.arguments ?? {});
  return {
    name: truncateMiddle(call.name, LIMITS.name),
    arguments: text.length > maxLength ? truncateMiddle(text, maxLength) : call.arguments,
  };
}

function readTools(definitions: unknown): { name: string; description?: string }[] {
  if (!Array.isArray(definitions)) return [];
  return (definitions as unknown[]).slice(0, MAX_TOOLS).flatMap((tool) => {
    if (!isRecord(tool) || typeof tool["name"] !== "string") return [];
    const name = truncateMiddle(tool["name"], LIMITS.name);
    const { description } = tool;
    return typeof description === "string"
      ? { name, description: truncateMiddle(description, LIMITS.tools) }
      : { name };
  });
}

function plainText(attributes: Readonly<Record<string, unknown>>, ...keys: string[]): string | undefined {
  return keys
    .map((key) => attributes[key])
    .find((text): text is string => typeof text === "string" && text !== "");
}

function joinNonEmpty(texts: readonly string[]): string | undefined {
  const text = texts.filter((each) => each !== "").join("\n");
  return text === "" ? undefined : text;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the last items whose total length as JSON fits. */
function keepLatest<T>(items: readonly T[], maxLength: number): T[] {
  return items.slice(items.findLastIndex(exceeds(maxLength)) + 1);
}

/** Returns the first items whose total length as JSON fits. */
function keepFirst<T>(items: readonly T[], maxLength: number): T[] {
  const end = items.findIndex(exceeds(maxLength));
  return items.slice(0, end < 0 ? items.length : end);
}

/** Returns a function that adds up the items that it gets, and is true once they exceed a length as JSON. */
function exceeds(maxLength: number): (item: unknown) => boolean {
  let length = 0;
  return (item) => (length += JSON.stringify(item).length) > maxLength;
}

/** Replaces the middle of a long text by a note with the number of omitted characters. Splits no character. */
function truncateMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, "");
  const cut = `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
  return copyText(cut);
}
