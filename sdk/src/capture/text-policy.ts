import type { JsonValue } from "../wire/index.js";
import { clipText, copyValue, textBytes, type CopiedValue, type TextFilter } from "./json-value.js";
import { isRecord } from "./call-messages.js";
import { warnOnce } from "./warnings.js";

/** What the options say about text. */
export interface TextPolicyOptions {
  readonly capturePrompt: boolean;
  readonly captureCompletion: boolean;
  readonly capture: "full" | "metadata";
  readonly mask: ((text: string, key: string) => string) | undefined;
}

/** Decides which texts a span may carry, and in what form. Every attribute passes here when it is set. */
export interface TextPolicy {
  readonly capturesPrompt: boolean;
  readonly capturesCompletion: boolean;
  /** True where every text is taken as it is. */
  readonly isOpen: boolean;
  /** A copy of a value as the span may carry it; `value` is undefined where nothing is left. */
  admit(key: string, value: unknown): CopiedValue;
}

const PROMPT_KEYS = ["prompt_text", "prompt_messages", "tool_definitions", "input_text"];
const COMPLETION_KEYS = ["completion_text", "completion_messages", "output_text"];
const OTHER_TEXT_KEYS = ["error_message", "error_stack", "evaluation_comment", "evaluation_explanation"];

/** Attributes that name things, and are no text: a mask does not see them. */
const NAMES = new Set([
  "model",
  "provider",
  "tool_name",
  "agent",
  "error_type",
  "finish_reason",
  "pricing_profile",
  "evaluation_types",
  "evaluation_type",
  "evaluation_label",
  "evaluation_source",
]);

/** Keys of a message and of its parts that name things. What lies under `arguments` or `response` is all text. */
const MESSAGE_NAMES = new Set(["role", "type", "id", "name", "finish_reason", "modality", "mime_type"]);
const MESSAGE_KEYS = new Set(["prompt_messages", "completion_messages", "tool_definitions"]);

const MASK_FAILED = "[mask failed]";

/** Builds the policy of a configuration. */
export function createTextPolicy(options: TextPolicyOptions): TextPolicy {
  const { mask } = options;
  const isFull = options.capture === "full";
  const capturesPrompt = isFull && options.capturePrompt;
  const capturesCompletion = isFull && options.captureCompletion;
  const dropped = new Set([
    ...(capturesPrompt ? [] : PROMPT_KEYS),
    ...(capturesCompletion ? [] : COMPLETION_KEYS),
    ...(isFull ? [] : OTHER_TEXT_KEYS),
  ]);

  function maskText(text: string, key: string): string {
    if (mask === undefined) return text;
    try {
      const masked: unknown = mask(text, key);
      if (typeof masked === "string") return masked;
      warnOnce("mask", "mask() did not return a string: the text is left out.");
    } catch {
      // The error may quote the text.
      warnOnce("mask", "mask() threw: the text is left out.");
    }
    return MASK_FAILED;
  }

  function filterOf(key: string): TextFilter | undefined {
    if (mask === undefined || NAMES.has(key)) return undefined;
    const isMessages = MESSAGE_KEYS.has(key);
    return (text, path) => (isMessages && namesSomething(path) ? text : maskText(text, key));
  }

  return {
    capturesPrompt,
    capturesCompletion,
    isOpen: mask === undefined && dropped.size === 0,
    admit(key, value) {
      if (dropped.has(key)) return NOTHING;
      if (typeof value === "string") {
        const clipped = clipText(value);
        const text = NAMES.has(key) ? clipped : maskText(clipped, key);
        return { value: text, bytes: textBytes(text) };
      }
      const copy = copyValue(value, filterOf(key));
      if (!capturesCompletion && key === "prompt_messages")
        return { ...copy, value: withoutAnswers(copy.value) };
      if (!capturesPrompt && key === "completion_messages")
        return { ...copy, value: withoutArguments(copy.value) };
      return copy;
    },
  };
}

const NOTHING: CopiedValue = { value: undefined, bytes: 0 };

/** `role` of a message, or `parts` → `type`: the path holds the keys of objects, not the indexes of arrays. */
function namesSomething(path: readonly string[]): boolean {
  const key = path.length === 1 ? path[0] : path.length === 2 && path[0] === "parts" ? path[1] : undefined;
  return key !== undefined && MESSAGE_NAMES.has(key);
}

/** A prompt repeats earlier answers and tool results; where completions are not captured, they go from it too. */
function withoutAnswers(messages: JsonValue | undefined): JsonValue | undefined {
  return mapParts(messages, (part, role) => {
    if (part["type"] === "tool_call_response") return without(part, "response");
    return role === "assistant" && part["type"] !== "tool_call" ? undefined : part;
  });
}

/** Where prompts are not captured, neither are the arguments of tool calls (docs/guide/sdk.md). */
function withoutArguments(messages: JsonValue | undefined): JsonValue | undefined {
  return mapParts(messages, (part) => (part["type"] === "tool_call" ? without(part, "arguments") : part));
}

type JsonRecord = Record<string, JsonValue>;

function mapParts(
  messages: JsonValue | undefined,
  change: (part: JsonRecord, role: JsonValue | undefined) => JsonRecord | undefined,
): JsonValue | undefined {
  if (!Array.isArray(messages)) return undefined;
  return messages.map((message) => {
    if (!isRecord(message) || !Array.isArray(message["parts"])) return {};
    const role = message["role"];
    const parts = message["parts"].flatMap((part) => (isRecord(part) ? (change(part, role) ?? []) : []));
    return { ...message, parts };
  });
}

function without(part: JsonRecord, key: string): JsonRecord {
  return Object.fromEntries(Object.entries(part).filter(([name]) => name !== key));
}
