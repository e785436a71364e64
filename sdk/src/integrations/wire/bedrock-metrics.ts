import { countOf, field, fieldsOf } from "../json-fields.js";
import { definedOnly, type ReadAttributes } from "../model-client/read-attributes.js";

/** The field with the counts of Bedrock itself, in the last chunk of a stream of `InvokeModelWithResponseStream`. */
export const INVOCATION_METRICS = "amazon-bedrock-invocationMetrics";

/** Adds the counts of the response headers to the body of a response of `InvokeModel`, as a stream has them. */
export function withHeaderCounts(body: unknown, headerOf: (name: string) => unknown): unknown {
  const count = (name: string): number | undefined => {
    const text = headerOf(`x-amzn-bedrock-${name}-token-count`);
    return typeof text === "string" && /^\d+$/.test(text) ? Number(text) : undefined;
  };
  const metrics = {
    inputTokenCount: count("input"),
    outputTokenCount: count("output"),
    cacheReadInputTokenCount: count("cache-read-input"),
    cacheWriteInputTokenCount: count("cache-write-input"),
  };
  return { ...fieldsOf(body), [INVOCATION_METRICS]: metrics };
}

/**
 * Adds the counts of Bedrock itself to those of the body. Its count of output tokens is the one that is billed. Its count of input
 * tokens leaves out those of the cache.
 */
export function withMetrics(read: ReadAttributes, metrics: unknown): ReadAttributes {
  const cached = countOf(field(metrics, "cacheReadInputTokenCount"));
  const written = countOf(field(metrics, "cacheWriteInputTokenCount"));
  const input = countOf(field(metrics, "inputTokenCount"));
  return definedOnly({
    tokens_cached: cached,
    tokens_cache_write: written,
    tokens_input: input === undefined ? undefined : input + (cached ?? 0) + (written ?? 0),
    ...read,
    tokens_output: countOf(field(metrics, "outputTokenCount")) ?? read["tokens_output"],
  });
}
