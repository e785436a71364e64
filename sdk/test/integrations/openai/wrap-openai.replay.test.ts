import { APIError } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configure, takeSpans } from "../../../src/index.js";
import { wrapOpenAI } from "../../../src/integrations/openai/index.js";
import type { Span } from "../../../src/wire/index.js";
import { recordedExchanges, type Exchange } from "../../replay/exchange.js";
import { expectedTokens } from "../../replay/expected-tokens.js";
import { startReplayServer, type ReplayServer, type Split } from "../../replay/replay-server.js";
import { clientOf, makeCall, spanProvider, type Received } from "./replay-client.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "replay" });
  server = await startReplayServer();
});
afterAll(() => server.close());

const APIS = ["chat.completions", "responses", "completions", "embeddings"];
const EXCHANGES = recordedExchanges().filter(({ api }) => APIS.includes(api));
const STREAMS = EXCHANGES.filter(({ response }) => response.sse !== null);

async function replay(exchange: Exchange, split?: Split): Promise<{ span: Span; received: Received }> {
  server.expect(exchange, split === undefined ? {} : { split });
  const received = await makeCall(wrapOpenAI(clientOf(exchange, server.url)), exchange);
  const spans = takeSpans();
  expect(spans).toHaveLength(1);
  return { span: spans[0] as Span, received };
}

describe.each(EXCHANGES)("$id", (exchange) => {
  it("has a span with the provider's own numbers", async () => {
    const { span } = await replay(exchange);
    const { expect: expected, api, response } = exchange;
    const attributes = span.attributes ?? {};
    expect(span.span_type).toBe(api === "embeddings" ? "embedding" : "llm");
    expect(span.status).toBe(expected.error ? "ERROR" : "OK");
    expect(attributes).toMatchObject({ provider: spanProvider(expected) });
    expect(attributes["model"] ?? null).toBe(expected.model);
    for (const [key, count] of Object.entries(expectedTokens(exchange))) {
      // The recordings do not list cache writes of zero.
      if (key === "tokens_cache_write" && attributes[key] === 0) continue;
      expect(attributes[key] ?? null, key).toBe(count);
    }
    expect(attributes["stream"] ?? false).toBe(expected.stream);
    expect(toolCallsOf(span)).toHaveLength(expected.tool_calls);
    if (expected.error) expect(attributes["error_type"]).toEqual(expect.any(String));
    if (response.status >= 400) expect(attributes["status_code"]).toBe(response.status);
  });

  it("gives the app the same as without the wrapper", async () => {
    const { received } = await replay(exchange);
    server.expect(exchange);
    const plain = await makeCall(clientOf(exchange, server.url), exchange);
    expect(comparable(received)).toEqual(comparable(plain));
  });
});

describe.each(STREAMS)("$id", (exchange) => {
  it("has the same span however the stream is cut into pieces", async () => {
    const { span: whole } = await replay(exchange, "whole");
    for (const split of ["events", "event-pairs", "odd", "bytes"] as const) {
      const { span } = await replay(exchange, split);
      expect(withoutTimes(span), split).toEqual(withoutTimes(whole));
    }
  });
});

function toolCallsOf(span: Span): unknown[] {
  const messages = (span.attributes?.["completion_messages"] ?? []) as { parts: { type: string }[] }[];
  return messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool_call"));
}

/** Makes errors comparable without their stacks. */
function comparable({ error, ...received }: Received): unknown {
  if (!(error instanceof APIError)) return { ...received, error };
  const { message, status, code, type, param } = error;
  return { ...received, error: { class: error.constructor.name, message, status, code, type, param } };
}

/** The parts of a span that do not depend on time. */
function withoutTimes({ name, span_type: spanType, status, attributes = {} }: Span): unknown {
  const lasting = Object.entries(attributes).filter(([key]) => key !== "ttft_ms" && key !== "error_stack");
  return { name, spanType, status, attributes: lasting, hasFirstToken: "ttft_ms" in attributes };
}
