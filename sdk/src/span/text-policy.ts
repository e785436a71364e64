import { lateCode } from "../late-code.js";
import { warnOnce } from "../warnings.js";
import { clipText, copyValue, textBytes, type CopiedValue, type TextFilter } from "./json-value.js";

/** The options that concern texts. */
export interface TextPolicyOptions {
  readonly capturePrompt: boolean;
  readonly captureCompletion: boolean;
  readonly capture: "full" | "metadata";
  readonly mask: ((text: string, key: string) => string) | undefined;
}

/** Decides which texts a span may carry, and in which form. It is applied to every attribute when it is set. */
export interface TextPolicy {
  readonly capturesPrompt: boolean;
  readonly capturesCompletion: boolean;
  /** True if no text is masked or left out. */
  readonly allowsAll: boolean;
  /** Copies a value in the form that the span may carry; `value` is undefined if nothing of it may be kept. */
  apply(key: string, value: unknown): CopiedValue;
}

const PROMPT_KEYS = ["prompt_text", "prompt_messages", "tool_definitions", "input_text", "prompt_variables"];
const COMPLETION_KEYS = ["completion_text", "completion_messages", "output_text"];
const OTHER_TEXT_KEYS = ["error_message", "error_stack", "evaluation_comment", "evaluation_explanation"];

/** Attributes that hold names and not texts. They are not masked. */
const NAME_KEYS = new Set([
  "model",
  "provider",
  "tool_name",
  "agent",
  "error_type",
  "finish_reason",
  "pricing_profile",
  "prompt_name",
  "prompt_version",
  "prompt_template_hash",
  "evaluation_types",
  "evaluation_type",
  "evaluation_label",
  "evaluation_source",
]);

/** Keys of a message and of its parts that hold names. Everything under `arguments` or `response` is masked. */
const MESSAGE_NAME_KEYS = new Set(["role", "type", "id", "name", "finish_reason", "modality", "mime_type"]);
const MESSAGE_KEYS = new Set(["prompt_messages", "completion_messages", "tool_definitions"]);

const MASK_FAILED = "[mask failed]";

/** Creates the policy of a configuration. */
export function createTextPolicy(options: TextPolicyOptions): TextPolicy {
  const { mask } = options;
  const isFull = options.capture === "full";
  const capturesPrompt = isFull && options.capturePrompt;
  const capturesCompletion = isFull && options.captureCompletion;
  const droppedKeys = new Set([
    ...(capturesPrompt ? [] : PROMPT_KEYS),
    ...(capturesCompletion ? [] : COMPLETION_KEYS),
    ...(isFull ? [] : OTHER_TEXT_KEYS),
  ]);

  function maskText(text: string, key: string): string {
    if (mask === undefined) return text;
    try {
      const masked: unknown = mask(text, key);
      if (typeof masked === "string") return masked;
    } catch {
      // The error is not logged: it may quote the text.
    }
    warnOnce("mask", "mask() failed to return a string: the text is left out.");
    return MASK_FAILED;
  }

  function filterOf(key: string): TextFilter | undefined {
    if (mask === undefined || NAME_KEYS.has(key)) return undefined;
    const isMessages = MESSAGE_KEYS.has(key);
    return (text, path) => (isMessages && isNameInMessage(path) ? text : maskText(text, key));
  }

  return {
    capturesPrompt,
    capturesCompletion,
    allowsAll: mask === undefined && droppedKeys.size === 0,
    apply(key, value) {
      if (droppedKeys.has(key)) return NOTHING;
      if (typeof value === "string") {
        const clipped = clipText(value);
        const text = NAME_KEYS.has(key) ? clipped : maskText(clipped, key);
        return { value: text, bytes: textBytes(text) };
      }
      const copy = copyValue(value, filterOf(key));
      // Until the code that finds the forbidden parts is loaded, none of the messages is kept.
      if (!capturesCompletion && key === "prompt_messages")
        return { ...copy, value: lateCode()?.withoutCompletions(copy.value) };
      if (!capturesPrompt && key === "completion_messages")
        return { ...copy, value: lateCode()?.withoutArguments(copy.value) };
      return copy;
    },
  };
}

const NOTHING: CopiedValue = { value: undefined, bytes: 0 };

/** True for `role` of a message, `parts` → `type` and the like. The path has the keys of objects, without array indexes. */
function isNameInMessage(path: readonly string[]): boolean {
  const key = path.length === 1 ? path[0] : path.length === 2 && path[0] === "parts" ? path[1] : undefined;
  return key !== undefined && MESSAGE_NAME_KEYS.has(key);
}
