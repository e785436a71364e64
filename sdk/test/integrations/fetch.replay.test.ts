import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configure, takeSpans } from "../../src/index.js";
import { hookFetch } from "../../src/integrations/fetch/hook-fetch.js";
import type { Span } from "../../src/wire/index.js";
import { recordedExchanges, type Exchange } from "../replay/exchange.js";
import { expectedTokens } from "../replay/expected-tokens.js";
import { startReplayServer, type ReplayServer, type Split } from "../replay/replay-server.js";

/** The hosts of the recorded providers. */
const HOSTS: Readonly<Record<string, string>> = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com",
  groq: "https://api.groq.com",
  deepseek: "https://api.deepseek.com",
  mistral_ai: "https://api.mistral.ai",
  openrouter: "https://openrouter.ai",
  together: "https://api.together.xyz",
  x_ai: "https://api.x.ai",
  voyage: "https://api.voyageai.com",
  cohere: "https://api.cohere.com",
  ollama: "http://localhost:11434",
  "gcp.gemini": "https://generativelanguage.googleapis.com",
  "gcp.vertex_ai": "https://us-central1-aiplatform.googleapis.com",
  "aws.bedrock": "https://bedrock-runtime.us-east-1.amazonaws.com",
  "azure.openai": "https://example.openai.azure.com",
  "azure.ai.inference": "https://example.services.ai.azure.com",
};

/** A host that `OBS_PROVIDER_HOSTS` names. */
const GATEWAY = "http://gateway.test:4000";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "fetch-replay" });
  server = await startReplayServer();
  const network = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    return await network(`${server.url}${pathname}${search}`, init);
  };
  hookFetch([new URL(GATEWAY).host]);
});
afterAll(() => server.close());

const EXCHANGES = recordedExchanges().filter(({ provider }) => provider in HOSTS);

async function replay(exchange: Exchange, split?: Split, host = HOSTS[exchange.provider]): Promise<Span> {
  server.expect(exchange, split === undefined ? {} : { split });
  const { method, path, body } = exchange.request;
  const response = await fetch(new URL(path, host), {
    method,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body ?? { model: exchange.expect.model, input: "Hello" }),
  });
  await response.text();
  const spans = takeSpans();
  expect(spans).toHaveLength(1);
  return spans[0] as Span;
}

describe.each(EXCHANGES)("$id through fetch", (exchange) => {
  it("has a span with the provider's own numbers", async () => {
    checkSpan(await replay(exchange));
  });

  it("has the same numbers through a gateway", async () => {
    const span = await replay(exchange, undefined, GATEWAY);
    expect(span.attributes?.["provider"]).toBe("gateway");
    checkSpan(span);
  });

  function checkSpan(span: Span): void {
    const { expect: expected, response } = exchange;
    const attributes = span.attributes ?? {};
    expect(span.status).toBe(expected.error ? "ERROR" : "OK");
    expect(attributes["model"] ?? null).toBe(expected.model);
    for (const [key, value] of Object.entries(expectedTokens(exchange))) {
      // The recordings do not list cache writes of zero.
      if (key === "tokens_cache_write" && attributes[key] === 0) continue;
      expect(attributes[key] ?? null, key).toBe(value);
    }
    expect(attributes["stream"] ?? false).toBe(expected.stream);
    if (expected.error) expect(attributes["error_type"]).toEqual(expect.any(String));
    if (response.status >= 400) expect(attributes["status_code"]).toBe(response.status);
  }
});
