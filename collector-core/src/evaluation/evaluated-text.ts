import { copyText } from "../span/kept-text.js";
import { isRecord } from "../span/span-facts.js";

/** A call of a tool, as the model asked for it. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
}

/** A turn of the conversation before the answer. */
export interface Turn {
  readonly role: string;
  readonly text: string;
  readonly tool_calls?: readonly ToolCall[];
}

/** What of a span is evaluated. What the span does not carry is absent; what is too long is cut in its middle. */
export interface EvaluatedText {
  /** The instructions that stand above the conversation. */
  readonly system?: string;
  /** What was asked last. */
  readonly prompt?: string;
  /** The turns before it, where there is more than the prompt. */
  readonly conversation?: readonly Turn[];
  /** What tools and retrieval brought into the conversation. */
  readonly sources?: readonly string[];
  /** The tools that the model could call. */
  readonly tools?: readonly { readonly name: string; readonly description?: string }[];
  /** What the model answered. */
  readonly completion?: string;
  /** The tools that its answer calls. */
  readonly tool_calls?: readonly ToolCall[];
}

/** Characters kept of each text: enough to judge by, and no more than a small model can read together. */
const LIMITS = {
  system: 8000,
  prompt: 20_000,
  turn: 4000,
  source: 8000,
  completion: 20_000,
  tools: 200,
} as const;
/** Of all turns, of all sources: the latest are kept. */
const MAX_TURNS_LENGTH = 20_000;
const MAX_SOURCES_LENGTH = 30_000;
const MAX_TOOLS = 64;
const MAX_TOOL_CALLS = 32;
const MAX_ARGUMENTS_LENGTH = 4000;

/** Reads what is to be evaluated from the attributes of a span: its messages, or its plain texts (contract 1). */
export function readEvaluatedText(given: unknown): EvaluatedText {
  const attributes = isRecord(given) ? given : {};
  const turns = readTurns(attributes["prompt_messages"]);
  const answer = readTurns(attributes["completion_messages"]);
  const system = joined(turns.filter(({ role }) => SYSTEM_ROLES.has(role)).map(({ text }) => text));
  const spoken = turns.filter(({ role, text }) => !SYSTEM_ROLES.has(role) && text !== "");
  const asked = spoken.findLastIndex(({ role }) => role === "user");
  const earlier = keepLatest(
    spoken.flatMap(({ role, text, toolCalls }, index) =>
      index === asked || role === "tool"
        ? []
        : [
            {
              role,
              text: cutMiddle(text, LIMITS.turn),
              ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
            },
          ],
    ),
    MAX_TURNS_LENGTH,
    ({ text }) => text.length,
  );
  const sources = keepLatest(
    turns.flatMap(({ sources }) => sources).map((source) => cutMiddle(source, LIMITS.source)),
    MAX_SOURCES_LENGTH,
    ({ length }) => length,
  );
  const prompt =
    plainText(attributes, "prompt_text", "input_text") ?? (asked < 0 ? undefined : spoken[asked]?.text);
  const completion =
    plainText(attributes, "completion_text", "output_text") ?? joined(answer.map(({ text }) => text));
  const calls = answer.flatMap(({ toolCalls }) => toolCalls).slice(0, MAX_TOOL_CALLS);
  const tools = readTools(attributes["tool_definitions"]);
  return {
    ...(system === undefined ? {} : { system: cutMiddle(system, LIMITS.system) }),
    ...(earlier.length > 0 ? { conversation: earlier } : {}),
    ...(prompt === undefined ? {} : { prompt: cutMiddle(prompt, LIMITS.prompt) }),
    ...(sources.length > 0 ? { sources } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(completion === undefined ? {} : { completion: cutMiddle(completion, LIMITS.completion) }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

/** Characters that are kept of a completion that is too long. */
export const KEPT_COMPLETION_LENGTH = LIMITS.completion;

const LEFT_OUT = /\n\[… (\d+) characters left out …\]\n/;

/** How many characters the completion has lost, where it was too long; 0 where it is whole. */
export function leftOutOfCompletion(completion: string): number {
  // What is no longer than the limit may say so itself.
  return completion.length <= LIMITS.completion ? 0 : Number(LEFT_OUT.exec(completion)?.[1] ?? 0);
}

/** True where there is an answer: words, or the call of a tool. */
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
  // What it shows cannot be judged; that it was there can.
  if (type === "blob" || type === "uri")
    return [`[${asText(modality ?? "file")}, ${asText(mimeType ?? "?")}]`];
  return [];
}

function partToolCall(part: Readonly<Record<string, unknown>>): ToolCall[] {
  const { type, name, arguments: given } = part;
  if (type !== "tool_call" || typeof name !== "string") return [];
  const text = asText(given ?? {});
  return [
    { name, arguments: text.length > MAX_ARGUMENTS_LENGTH ? cutMiddle(text, MAX_ARGUMENTS_LENGTH) : given },
  ];
}

function readTools(definitions: unknown): { name: string; description?: string }[] {
  if (!Array.isArray(definitions)) return [];
  return (definitions as unknown[]).slice(0, MAX_TOOLS).flatMap((tool) => {
    if (!isRecord(tool) || typeof tool["name"] !== "string") return [];
    const { name, description } = tool;
    return typeof description === "string"
      ? { name, description: cutMiddle(description, LIMITS.tools) }
      : { name };
  });
}

function plainText(attributes: Readonly<Record<string, unknown>>, ...keys: string[]): string | undefined {
  return keys
    .map((key) => attributes[key])
    .find((text): text is string => typeof text === "string" && text !== "");
}

function joined(texts: readonly string[]): string | undefined {
  const text = texts.filter((each) => each !== "").join("\n");
  return text === "" ? undefined : text;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The last items that fit together. */
function keepLatest<T>(items: readonly T[], maxLength: number, lengthOf: (item: T) => number): T[] {
  let length = 0;
  const first = items.findLastIndex((item) => (length += lengthOf(item)) > maxLength);
  return items.slice(first + 1);
}

/** A text with its middle left out, where it is too long; the cut says so. Never in the middle of a character. */
function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, "");
  const cut = `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
  return copyText(cut);
}
