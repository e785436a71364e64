import { expect } from "vitest";
import { hookFetch, type FetchHook } from "../../src/integrations/fetch/hook-fetch.js";
import type { TakenSpan } from "./taken-spans.js";

/** Hooks fetch as `@obspan/sdk/register` does, with the host of a test server as that of a provider. */
export function hookFetchOf(serverUrl: string): FetchHook {
  const hook = hookFetch([new URL(serverUrl).host]);
  if (hook === undefined) throw new Error("Fetch is hooked already.");
  return hook;
}

/** How the spans of one model call must look. */
export interface OneCall {
  /** Default: `llm`. */
  readonly spanType?: "llm" | "embedding";
  /** The attributes with the tokens of the call. */
  readonly tokens: Readonly<Record<string, number>>;
}

/**
 * Checks that the spans of one model call count it once: one span of the model, one trace, no parent that is missing, and
 * tokens on the span of the model only.
 *
 * @returns the span of the model.
 */
export function expectOneCall(spans: readonly TakenSpan[], { spanType = "llm", tokens }: OneCall): TakenSpan {
  const models = spans.filter(({ span_type }) => span_type === "llm" || span_type === "embedding");
  expect(models.map(({ span_type, name }) => `${span_type} ${name}`)).toEqual([
    expect.stringContaining(spanType),
  ]);
  expect(models[0]?.attributes).toMatchObject(tokens);
  expectOneTrace(spans);
  expect(spans.filter(hasTokens).map(({ name }) => name)).toEqual([models[0]?.name]);
  return models[0] as TakenSpan;
}

/** Checks that the spans are one trace with one root, and that each parent is among them. */
export function expectOneTrace(spans: readonly TakenSpan[]): void {
  expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
  const ids = new Set(spans.map(({ span_id }) => span_id));
  expect(ids.size).toBe(spans.length);
  const roots = spans.filter(({ parent_span_id }) => !ids.has(parent_span_id ?? ""));
  expect(roots.map(({ name, parent_span_id }) => [name, parent_span_id ?? null])).toEqual([
    [expect.any(String), null],
  ]);
}

/** True for a span with token counts. */
export function hasTokens({ attributes }: TakenSpan): boolean {
  return Object.keys(attributes).some((key) => key.startsWith("tokens_") || key.startsWith("gen_ai.usage."));
}
