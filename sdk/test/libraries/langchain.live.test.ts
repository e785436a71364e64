import { SystemMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { configure, takeSpans } from "../../src/index.js";
import { ObspanCallbackHandler } from "../../src/integrations/langchain/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { CHAT_TOKENS, chatAnswer } from "./chat-server.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "langchain-test", live: true, capturePrompt: false, captureCompletion: false });
  server = await startReplayServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.reset();
  takeSpans();
});

const chatModel = () =>
  new ChatOpenAI({
    model: "gpt-5-mini",
    apiKey: "test-key",
    maxRetries: 0,
    configuration: { baseURL: `${server.url}/v1` },
  });

const callbacks = () => ({ callbacks: [new ObspanCallbackHandler()] });

/** The spans, each once: the queue has their start too. */
const recorded = () => [...new Map(takeSpans().map((span) => [span.span_id, span])).values()];

describe("with live and without texts", () => {
  it("records the numbers of a call, and no text", async () => {
    server.expect(chatAnswer([["c1", "search", { secret: "s3cret" }]]));
    const messages = [new SystemMessage("s3cret"), { role: "user", content: "s3cret" }];
    await chatModel().invoke(messages, callbacks());
    const [call, ...others] = recorded();
    expect(others).toEqual([]);
    expect(call?.attributes).toMatchObject({ ...CHAT_TOKENS, finish_reason: "tool_calls" });
    expect(JSON.stringify(call)).not.toContain("s3cret");
  });

  it("keeps the span whose start is sent as the parent of a wrapped client's span, without usage", async () => {
    server.expect(chatAnswer("Hello"));
    const model = chatModel();
    const client = wrapOpenAI(new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 }));
    Object.assign((model as unknown as { completions: object }).completions, { client });
    await model.invoke("Hi", callbacks());
    const [run, call] = recorded();
    expect(call).toMatchObject({ span_type: "llm", parent_span_id: run?.span_id, attributes: CHAT_TOKENS });
    expect(run).toMatchObject({ span_type: "task" });
    expect(run?.attributes).not.toHaveProperty("tokens_input");
  });
});
