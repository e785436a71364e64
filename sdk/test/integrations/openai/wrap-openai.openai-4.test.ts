import OpenAI4 from "openai-4";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configure, takeSpans } from "../../../src/index.js";
import { wrapOpenAI } from "../../../src/integrations/openai/index.js";
import { recordedExchange } from "../../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../../replay/replay-server.js";
import { chatChunk, USAGE_CHUNK, writtenExchange } from "../../replay/written-exchange.js";
import { readAll } from "./replay-client.js";
import { onlySpan } from "./traced-client.js";

/** `openai` 4 uses node-fetch: the bodies of its responses are Node streams. */
let server: ReplayServer;
let client: OpenAI4;
beforeAll(async () => {
  configure({ service: "openai-4-test" });
  server = await startReplayServer();
  client = wrapOpenAI(new OpenAI4({ apiKey: "k", maxRetries: 0, baseURL: `${server.url}/v1` }));
});
afterAll(() => server.close());

const BASIC = recordedExchange("openai-chat-basic");
const REQUEST = BASIC.request.body as never as OpenAI4.ChatCompletionCreateParamsNonStreaming;
const STREAM_REQUEST = {
  model: "gpt-5-mini",
  messages: [{ role: "user" as const, content: "Hi" }],
  stream: true as const,
};
const HELLO = [chatChunk({ role: "assistant", content: "Hé" }), chatChunk({}, "stop")];
const STREAM = writtenExchange({ request: STREAM_REQUEST, chunks: [...HELLO, USAGE_CHUNK] });
const PLAIN_STREAM = writtenExchange({ request: STREAM_REQUEST, chunks: HELLO });

describe("openai 4", () => {
  it("returns responses, streams and errors as before, each with a span", async () => {
    server.expect(BASIC);
    expect(await client.chat.completions.create(REQUEST)).toEqual(BASIC.response.body);
    expect(onlySpan().attributes).toMatchObject({ tokens_output: 20, request_id: "req_replayed" });

    server.expect(STREAM);
    expect(await readAll(await client.chat.completions.create(STREAM_REQUEST))).toEqual(HELLO);
    expect(onlySpan().attributes).toMatchObject({ tokens_output: 5, completion_text: "Hé" });

    server.expect(writtenExchange({ request: REQUEST as never, status: 401, body: { error: {} } }));
    await expect(client.chat.completions.create(REQUEST)).rejects.toBeInstanceOf(OpenAI4.AuthenticationError);
    expect(onlySpan().attributes).toMatchObject({ error_type: "AuthenticationError", status_code: 401 });
  });

  it("lets the app read the raw response, and records the complete response in one span", async () => {
    server.expect(BASIC);
    const raw = await client.chat.completions.create(REQUEST).asResponse();
    expect(takeSpans()).toEqual([]);
    expect(await raw.json()).toEqual(BASIC.response.body);
    expect(onlySpan().attributes).toMatchObject({ tokens_output: 20, request_id: "req_replayed" });

    server.expect(BASIC);
    const { data, response } = await client.chat.completions.create(REQUEST).withResponse();
    expect([data, response.status]).toEqual([BASIC.response.body, 200]);
    onlySpan();
  });

  it("removes the added token counts from the raw body, and keeps all other bytes", async () => {
    for (const split of ["whole", "events", "bytes"] as const) {
      server.expect(STREAM, { split });
      const raw = await client.chat.completions.create(STREAM_REQUEST).asResponse();
      expect([raw.status, raw.ok, raw.headers.get("x-request-id")]).toEqual([200, true, "req_replayed"]);
      expect(raw.url).toBe(`${server.url}/v1/chat/completions`);
      expect(await raw.text()).toBe(PLAIN_STREAM.response.sse);
      expect(onlySpan().attributes, split).toMatchObject({ tokens_output: 5, completion_text: "Hé" });
    }
  });

  it("ends the span as failed when the connection breaks during the raw body, and the app gets the error", async () => {
    server.expect(STREAM, { breakOff: { afterPieces: 1, how: "reset" } });
    const raw = await client.chat.completions.create(STREAM_REQUEST).asResponse();
    await expect(raw.text()).rejects.toThrow();
    expect(onlySpan()).toMatchObject({ status: "ERROR", attributes: { request_id: "req_replayed" } });
  });
});
