import { expect } from "vitest";
import type { Span } from "../../src/wire/index.js";
import type { Exchange } from "../replay/exchange.js";
import { expectedTokens } from "../replay/expected-tokens.js";

/** Checks the span of a recorded exchange: the provider's own numbers, the kind of call, and the error. */
export function checkSpan(span: Span | undefined, exchange: Exchange, provider: string): void {
  const { expect: expected, response } = exchange;
  const attributes = span?.attributes ?? {};
  expect(span?.status).toBe(expected.error ? "ERROR" : "OK");
  expect(attributes["provider"]).toBe(provider);
  expect(attributes["model"] ?? null).toBe(expected.model);
  for (const [key, count] of Object.entries(expectedTokens(exchange)))
    expect([key, attributes[key] ?? null]).toEqual([key, count]);
  expect(attributes["stream"] ?? false).toBe(expected.stream);
  expect(partsOf(span, "tool_call")).toHaveLength(expected.tool_calls);
  expect("ttft_ms" in attributes).toBe(expected.stream);
  if (expected.error) expect(attributes["error_type"]).toEqual(expect.any(String));
  if (response.status >= 400) expect(attributes["status_code"]).toBe(response.status);
}

/** The parts of one type in what the model answered. */
export function partsOf(span: Span | undefined, type: string): Record<string, unknown>[] {
  const messages = (span?.attributes?.["completion_messages"] ?? []) as {
    parts: { type: string }[];
  }[];
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === type));
}

/** The parts of a span that do not depend on time. */
export function withoutTimes(span: Span | undefined): unknown {
  const { name, span_type: spanType, status, attributes = {} } = span ?? {};
  const lasting = Object.entries(attributes).filter(([key]) => key !== "ttft_ms" && key !== "error_stack");
  return { name, spanType, status, attributes: Object.fromEntries(lasting) };
}

/** All chunks of a stream. */
export async function readAll(stream: unknown): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream as AsyncIterable<unknown>) chunks.push(chunk);
  return chunks;
}
