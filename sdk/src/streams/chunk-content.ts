import { isProxy, ownValue } from "../is-record.js";

/** The content of a stream chunk. */
export interface ChunkContent {
  /** The text, if any. */
  readonly text: string | undefined;
  /** True if the chunk has any generated content: text, reasoning, a refusal, audio or a tool call. */
  readonly isGenerated: boolean;
}

const NOTHING: ChunkContent = { text: undefined, isGenerated: false };

/** Keys that hold generated text. */
const TEXT_KEYS = ["text", "content", "delta", "textDelta", "response"] as const;
/** Keys that hold other generated content. */
const OTHER_KEYS = [
  "reasoning",
  "reasoning_content",
  "reasoning_details",
  "thinking",
  "refusal",
  "audio",
  "tool_calls",
  "function_call",
  "functionCall",
  "partial_json",
  "arguments",
] as const;
/** Keys that hold nested objects with content. */
const NESTED_KEYS = [
  "delta",
  "choices",
  "message",
  "candidates",
  "content",
  "parts",
  "content_block",
] as const;
const MAX_DEPTH = 6;

/**
 * Reads a chunk of any stream: a string, bytes, or an object in one of the shapes that model providers stream (chat
 * completion chunks, message events, candidates with parts, …). An object of unknown shape counts as generated.
 */
export function readChunk(chunk: unknown): ChunkContent {
  if (typeof chunk === "string") return { text: chunk, isGenerated: chunk !== "" };
  if (typeof chunk !== "object" || chunk === null) return NOTHING;
  const found = { text: "", isGenerated: false, isKnown: false };
  inspect(chunk, found, 0);
  if (!found.isKnown) return { text: undefined, isGenerated: true };
  return { text: found.text === "" ? undefined : found.text, isGenerated: found.isGenerated };
}

interface Found {
  text: string;
  isGenerated: boolean;
  isKnown: boolean;
}

function inspect(value: object, found: Found, depth: number): void {
  if (depth > MAX_DEPTH || isProxy(value)) return;
  if (Array.isArray(value)) {
    for (const item of value as unknown[])
      if (typeof item === "object" && item !== null) inspect(item, found, depth + 1);
    return;
  }
  // Events without new content: `message_start`, `response.created`, `ping`, `response.output_text.done`, …
  const type = ownValue(value, "type");
  if (
    typeof type === "string" &&
    /(?:^|[._])(?:start|created|in_progress|ping|done|completed|finish|stop|end)$/.test(type)
  )
    found.isKnown = true;
  else {
    for (const key of TEXT_KEYS) {
      const text = ownValue(value, key);
      if (typeof text !== "string") continue;
      found.isKnown = true;
      if (text === "") continue;
      found.isGenerated = true;
      // Reasoning and tool arguments are streamed as deltas too, but are not the text of the response.
      if (typeof type !== "string" || !/reasoning|thinking|arguments|input|audio/.test(type))
        found.text += text;
    }
  }
  for (const key of OTHER_KEYS)
    if (hasContent(ownValue(value, key))) found.isKnown = found.isGenerated = true;
  for (const key of NESTED_KEYS) {
    const nested = ownValue(value, key);
    if (typeof nested !== "object" || nested === null) continue;
    found.isKnown = true;
    inspect(nested, found, depth + 1);
  }
}

function hasContent(value: unknown): boolean {
  if (typeof value === "string" || Array.isArray(value)) return value.length > 0;
  return typeof value === "object" && value !== null;
}
