import { createOpenAI as createOpenAI7 } from "@ai-sdk/openai";
import { createOpenAI as createOpenAI5 } from "@ai-sdk/openai-for-5";
import { createOpenAI as createOpenAI6 } from "@ai-sdk/openai-for-6";
import * as ai7 from "ai";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { configure, llm, observe, takeSpans } from "../../src/index.js";
import { recordedExchange } from "../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { settled } from "./settled.js";

/** The part of the AI SDK that all its versions have. */
interface StreamResult {
  readonly textStream: AsyncIterable<string>;
  readonly text: PromiseLike<string>;
}
type StreamText = (options: object) => StreamResult;
type CreateOpenAI = (options: object) => { chat(model: string): unknown };

const VERSIONS: [string, StreamText, CreateOpenAI][] = [
  ["5", ai5.streamText as unknown as StreamText, createOpenAI5],
  ["6", ai6.streamText as unknown as StreamText, createOpenAI6],
  ["7", ai7.streamText as unknown as StreamText, createOpenAI7],
];

let server: ReplayServer;
const unhandled: unknown[] = [];
const onUnhandled = (error: unknown): void => void unhandled.push(error);
beforeAll(async () => {
  configure({ service: "ai-sdk-results" });
  server = await startReplayServer();
  process.on("unhandledRejection", onUnhandled);
});
beforeEach(() => {
  unhandled.length = 0;
  takeSpans();
});
afterAll(() => {
  process.off("unhandledRejection", onUnhandled);
  return server.close();
});

describe.each(VERSIONS)("the result of streamText() of the AI SDK %s", (_, streamText, createOpenAI) => {
  const exchange = recordedExchange("openai-chat-stream-no-usage");

  function stream(status: number): StreamResult {
    const url = new URL(exchange.request.path, server.url);
    const fetchRecorded = (_: unknown, init?: RequestInit): Promise<Response> =>
      status === 200
        ? fetch(url, { ...init, body: JSON.stringify(exchange.request.body) })
        : Promise.resolve(new Response('{"error":{"message":"no"}}', { status }));
    if (status === 200) server.expect(exchange);
    const model = createOpenAI({ apiKey: "test-key", fetch: fetchRecorded }).chat("gpt-4o-mini");
    return streamText({ model, prompt: "Hi", maxRetries: 0, onError: () => undefined });
  }

  it.each([
    ["llm()", (run: () => StreamResult) => llm({ name: "answer" }, run)()],
    ["observe()", (run: () => StreamResult) => observe("answer", run)],
  ])("is not read by %s, and gives the app the whole text", async (_name, wrap) => {
    const result = wrap(() => stream(200));
    await settled();
    let text = "";
    for await (const part of result.textStream) text += part;
    expect(text).not.toBe("");
    expect(await result.text).toBe(text);
    expect(unhandled).toEqual([]);
    expect(takeSpans()).toEqual([expect.objectContaining({ name: "answer", status: "OK" })]);
  });

  it("leaves no unhandled rejection when the model fails and the app reads nothing", async () => {
    const result = llm({ name: "answer" }, () => stream(400))();
    await settled();
    expect(unhandled).toEqual([]);
    const parts: string[] = [];
    for await (const part of result.textStream) parts.push(part);
    expect([parts, takeSpans().length]).toEqual([[], 1]);
  });
});
