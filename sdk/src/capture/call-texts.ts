import { isRecord, readMessages } from "./call-messages.js";
import { stringifyValue } from "./json-value.js";
import type { RecordedSpan } from "./recorded-span.js";
import type { SpanAttributes } from "./span-handle.js";

/** Sets what went into a call: a prompt on a model call, `input_text` on any other. */
export function recordInput(span: RecordedSpan, args: readonly unknown[]): void {
  if (args.length === 0 || !span.runtime.policy.capturesPrompt) return;
  const input = args.length === 1 ? args[0] : args;
  if (span.spanType !== "llm") {
    span.put("input_text", stringifyValue(input));
    return;
  }
  for (const [index, arg] of args.entries()) {
    const messages = readMessages(arg) ?? (isRecord(arg) ? readMessages(arg["messages"]) : undefined);
    if (messages !== undefined) {
      span.put("prompt_messages", messages);
      return;
    }
    // Of `(prompt, options)` the prompt is the first.
    if (index === 0 && typeof arg === "string") {
      span.put("prompt_text", arg);
      return;
    }
    if (isRecord(arg) && typeof arg["prompt"] === "string") {
      span.put("prompt_text", arg["prompt"]);
      return;
    }
  }
  span.put("prompt_text", stringifyValue(input));
}

/** Sets what came out of a call; of a model call also model, tokens and finish reason where the answer says them. */
export function recordOutput(span: RecordedSpan, value: unknown): void {
  if (value === undefined) return;
  const isModelCall = span.spanType === "llm" || span.spanType === "embedding";
  if (isModelCall && isRecord(value)) {
    for (const [key, found] of Object.entries(readUsage(value))) span.putDefault(key, found);
  }
  // An embedding is a long list of numbers, and no text.
  if (span.spanType === "embedding" || !span.runtime.policy.capturesCompletion) return;
  if (span.spanType === "llm") span.putDefault("completion_text", answerText(value) ?? stringifyValue(value));
  else span.putDefault("output_text", stringifyValue(value));
}

/** Sets the text that a stream carried. */
export function recordStreamedText(span: RecordedSpan, text: string): void {
  if (text !== "") span.putDefault(span.spanType === "llm" ? "completion_text" : "output_text", text);
}

/** Where answers of model APIs hold their text. */
function answerText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isRecord(value)) return undefined;
  const { text, output_text: outputText, content, message, choices } = value;
  for (const candidate of [text, outputText, content]) if (typeof candidate === "string") return candidate;
  if (Array.isArray(content)) return joinTexts(content);
  if (isRecord(message)) return answerText(message);
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return first === undefined ? undefined : answerText(first);
}

function joinTexts(parts: readonly unknown[]): string | undefined {
  const texts = parts.flatMap((part) =>
    isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : [],
  );
  return texts.length === 0 ? undefined : texts.join("");
}

/** Model, tokens and finish reason of an answer, under whichever names its API gives them. */
export function readUsage(answer: Record<string, unknown>): SpanAttributes {
  const usage = isRecord(answer["usage"]) ? answer["usage"] : {};
  const inputDetails = firstRecord(usage, "prompt_tokens_details", "input_tokens_details");
  const outputDetails = firstRecord(usage, "completion_tokens_details", "output_tokens_details");
  const cacheRead = firstNumber(usage, "cache_read_input_tokens");
  const cacheWrite = firstNumber(usage, "cache_creation_input_tokens");
  const input = firstNumber(usage, "prompt_tokens", "input_tokens", "inputTokens", "promptTokens");
  const { model } = answer;
  const finishReason = answer["stop_reason"] ?? answer["finishReason"] ?? answer["finish_reason"];
  return {
    model: typeof model === "string" ? model : undefined,
    // Where cache tokens are counted apart (Anthropic), all input is their sum (contract 6).
    tokens_input: input === undefined ? undefined : input + (cacheRead ?? 0) + (cacheWrite ?? 0),
    tokens_output: firstNumber(
      usage,
      "completion_tokens",
      "output_tokens",
      "outputTokens",
      "completionTokens",
    ),
    tokens_cached:
      cacheRead ?? firstNumber(inputDetails, "cached_tokens") ?? firstNumber(usage, "cachedInputTokens"),
    tokens_cache_write: cacheWrite,
    tokens_reasoning: firstNumber(outputDetails, "reasoning_tokens") ?? firstNumber(usage, "reasoningTokens"),
    finish_reason: typeof finishReason === "string" ? finishReason : undefined,
  };
}

function firstNumber(record: Record<string, unknown>, ...keys: readonly string[]): number | undefined {
  for (const key of keys) if (typeof record[key] === "number") return record[key];
  return undefined;
}

function firstRecord(record: Record<string, unknown>, ...keys: readonly string[]): Record<string, unknown> {
  for (const key of keys) if (isRecord(record[key])) return record[key];
  return {};
}
