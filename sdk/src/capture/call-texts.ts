import { isArray, isProxy, isRecord, ownValue } from "../is-record.js";
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
    const messages =
      readMessages(arg) ?? (isRecord(arg) ? readMessages(ownValue(arg, "messages")) : undefined);
    if (messages !== undefined) {
      span.put("prompt_messages", messages);
      return;
    }
    // In `(prompt, options)` the prompt is the first argument.
    if (index === 0 && typeof arg === "string") {
      span.put("prompt_text", arg);
      return;
    }
    const prompt = isRecord(arg) && ownValue(arg, "prompt");
    if (typeof prompt === "string") {
      span.put("prompt_text", prompt);
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
  if (span.spanType === "llm") {
    const text = responseText(value);
    // The fields of an instance are the internals of a client library.
    if (text !== undefined || !isInstance(value))
      span.putDefault("completion_text", text ?? stringifyValue(value));
  } else span.putDefault("output_text", stringifyValue(value));
}

function isInstance(value: unknown): boolean {
  if (!isRecord(value)) return isProxy(value);
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}

/** The text of a response of a model API. */
function responseText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isRecord(value)) return undefined;
  for (const key of ["text", "output_text", "content"]) {
    const text = ownValue(value, key);
    if (typeof text === "string") return text;
    if (key === "content" && isArray(text)) return joinTexts(text);
  }
  const choices = ownValue(value, "choices");
  return responseText(ownValue(value, "message") ?? (isArray(choices) ? ownValue(choices, 0) : undefined));
}

function joinTexts(parts: readonly unknown[]): string | undefined {
  const texts = parts
    .map((part) => isRecord(part) && ownValue(part, "text"))
    .filter((text) => typeof text === "string");
  return texts.length === 0 ? undefined : texts.join("");
}

/** Model, tokens and finish reason of a response, under the names of the known model APIs. */
function readUsage(response: object): SpanAttributes {
  const usage = firstRecord(response, "usage");
  const inputDetails = firstRecord(usage, "prompt_tokens_details", "input_tokens_details");
  const outputDetails = firstRecord(usage, "completion_tokens_details", "output_tokens_details");
  const cacheRead = firstNumber(usage, "cache_read_input_tokens");
  const cacheWrite = firstNumber(usage, "cache_creation_input_tokens");
  const input = firstNumber(usage, "prompt_tokens", "input_tokens", "inputTokens", "promptTokens");
  return {
    model: firstText(response, "model"),
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
    finish_reason: firstText(response, "stop_reason", "finishReason", "finish_reason"),
  };
}

function firstNumber(record: object, ...keys: readonly string[]): number | undefined {
  return keys.map((key) => ownValue(record, key)).find((value) => typeof value === "number");
}

function firstText(record: object, ...keys: readonly string[]): string | undefined {
  return keys.map((key) => ownValue(record, key)).find((value) => typeof value === "string");
}

function firstRecord(record: object, ...keys: readonly string[]): object {
  return keys.map((key) => ownValue(record, key)).find(isRecord) ?? {};
}
