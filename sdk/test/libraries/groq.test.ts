import Groq from "groq-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { configure, takeSpans } from "../../src/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { recordedExchange } from "../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "groq-test" });
  server = await startReplayServer();
});
afterAll(() => server.close());

it.each(["groq-chat", "groq-chat-stream-xgroq-usage"])(
  "wrapOpenAI records a client of groq-sdk: %s",
  async (id) => {
    const exchange = recordedExchange(id);
    server.expect(exchange);
    const url = new URL(exchange.request.path, server.url);
    const client = wrapOpenAI(
      new Groq({
        apiKey: "test-key",
        maxRetries: 0,
        baseURL: "https://api.groq.com",
        fetch: async (_, init) => await fetch(url, init as RequestInit),
      }),
    );
    const answer: unknown = await client.chat.completions.create(exchange.request.body as never);
    const chunks: unknown[] = [];
    if (exchange.expect.stream)
      for await (const chunk of answer as AsyncIterable<unknown>) chunks.push(chunk);

    const spans = takeSpans();
    expect(spans).toHaveLength(1);
    const { model, tokens_input, tokens_output } = exchange.expect;
    expect(spans[0]?.attributes).toMatchObject({ provider: "groq", model, tokens_input, tokens_output });
  },
);
