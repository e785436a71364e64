import { isRecord } from "../is-record.js";
import { stringifyValue } from "../span/json-value.js";
import type { RecordedSpan } from "../span/recorded-span.js";
import type { SpanAttributes } from "../span/span-handle.js";
import { readMessages } from "./call-messages.js";

/** Sets the input of a call: the prompt of a model call, `input_text` of any other call. */
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
    // In `(prompt, options)` the prompt is the first argument.
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

/** Sets the output of a call. For a model call also sets model, tokens and finish reason, if the response has them. */
export function recordOutput(span: RecordedSpan, value: unknown): void {
  if (value === undefined) return;
  const isModelCall = span.spanType === "llm" || span.spanType === "embedding";
  if (isModelCall && isRecord(value)) {
    for (const [key, found] of Object.entries(readUsage(value))) span.putDefault(key, found);
  }
  // An embedding is a long list of numbers, not a text.
  if (span.spanType === "embedding" || !span.runtime.policy.capturesCompletion) return;
  if (span.spanType === "llm")
    span.putDefault("completion_text", responseText(value) ?? stringifyValue(value));
  else span.putDefault("output_text", stringifyValue(value));
}

/** Sets the text of a stream. */
export function recordStreamedText(span: RecordedSpan, text: string): void {
  if (text !== "") span.putDefault(span.spanType === "llm" ? "completion_text" : "output_text", text);
}

/** The text of a response of a model API. */
function responseText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isRecord(value)) return undefined;
  const { text, output_text: outputText, content, message, choices } = value;
  for (const candidate of [text, outputText, content]) if (typeof candidate === "string") return candidate;
  if (Array.isArray(content)) return joinTexts(content);
  if (isRecord(message)) return responseText(message);
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return first === undefined ? undefined : responseText(first);
}

function joinTexts(parts: readonly unknown[]): string | undefined {
  const texts = parts.flatMap((part) =>
    isRecord(part) && typeof part["text"] === "string" ? [part["text"]] : [],
  );
  return texts.length === 0 ? undefined : texts.join("");
}

/** Model, tokens and finish reason of a response, under the names of the known model APIs. */
function readUsage(response: Record<string, unknown>): SpanAttributes {
  const usage = isRecord(response["usage"]) ? response["usage"] : {};
  const inputDetails = firstRecord(usage, "prompt_tokens_details", "input_tokens_details");
  const outputDetails = firstRecord(usage, "completion_tokens_details", "output_tokens_details");
  const cacheRead = firstNumber(usage, "cache_read_input_tokens");
  const cacheWrite = firstNumber(usage, "cache_creation_input_tokens");
  const input = firstNumber(usage, "prompt_tokens", "input_tokens", "inputTokens", "promptTokens");
  const { model } = response;
  const finishReason = response["stop_reason"] ?? response["finishReason"] ?? response["finish_reason"];
  return {
    model: typeof model === "string" ? model : undefined,
    // Anthropic counts cache tokens separately: the input is the sum (contract 6).
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
