/* oxlint-disable typescript/no-deprecated -- Apps still use the object functions and the events of a stream. */
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAI as createOpenAI6 } from "@ai-sdk/openai-for-6";
import * as callbackManager from "@langchain/core/callbacks/manager";
import { Document } from "@langchain/core/documents";
import { BaseRetriever } from "@langchain/core/retrievers";
import { FakeListChatModel, FakeLLM } from "@langchain/core/utils/testing";
import * as ai7 from "ai";
import * as ai6 from "ai-6";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { configure, currentSpan, observe, takeSpans } from "../../src/index.js";
import { obspanTracer, registerAISDK } from "../../src/integrations/ai-sdk/index.js";
import { instrumentLangChain } from "../../src/integrations/langchain/index.js";
import { startChatServer, type Answer, type ChatServer } from "./completion-server.js";
import { readAll } from "./read-stream.js";

let server: ChatServer;
beforeAll(async () => {
  configure({ service: "context-test" });
  registerAISDK();
  instrumentLangChain(callbackManager);
  server = await startChatServer();
});
afterAll(() => server.close());

class Papers extends BaseRetriever {
  override lc_namespace = ["test"];
  override _getRelevantDocuments(): Promise<Document[]> {
    return Promise.resolve([new Document({ pageContent: "a" })]);
  }
}

const schema = z.object({ a: z.string() });
const model7 = () => createOpenAI({ apiKey: "k", baseURL: server.url }).chat("chat");
const model6 = () => createOpenAI6({ apiKey: "k", baseURL: server.url }).chat("chat");
const embed7 = () => createOpenAI({ apiKey: "k", baseURL: server.url }).embedding("e");
const embed6 = () => createOpenAI6({ apiKey: "k", baseURL: server.url }).embedding("e");
const experimental_telemetry = { isEnabled: true, tracer: obspanTracer() as never };
const text: Answer = { text: '{"a":"b"}' };

const CALLS: Readonly<Record<string, readonly [() => Promise<unknown>, Answer?]>> = {
  "ai 7 generateText": [() => ai7.generateText({ model: model7(), prompt: "?" }), text],
  "ai 7 generateText that fails": [
    () => ai7.generateText({ model: model7(), prompt: "?", maxRetries: 0 }).catch(() => 0),
    { status: 400, message: "no" },
  ],
  "ai 7 streamText": [async () => await ai7.streamText({ model: model7(), prompt: "?" }).text, text],
  "ai 7 generateObject": [() => ai7.generateObject({ model: model7(), prompt: "?", schema }), text],
  "ai 7 generateObject that fails": [
    () => ai7.generateObject({ model: model7(), prompt: "?", schema, maxRetries: 0 }).catch(() => 0),
    { status: 400, message: "no" },
  ],
  "ai 7 streamObject": [
    // Only its stream is read: its promises do not start the call.
    async () => await readAll(ai7.streamObject({ model: model7(), prompt: "?", schema }).partialObjectStream),
    text,
  ],
  "ai 7 embed": [() => ai7.embed({ model: embed7(), value: "x" }), { vectors: 1 }],
  "ai 7 embedMany": [() => ai7.embedMany({ model: embed7(), values: ["x", "y"] }), { vectors: 2 }],
  "ai 6 generateText": [() => ai6.generateText({ model: model6(), prompt: "?" }), text],
  "ai 6 generateText that fails": [
    () => ai6.generateText({ model: model6(), prompt: "?", maxRetries: 0 }).catch(() => 0),
    { status: 400, message: "no" },
  ],
  "ai 6 streamText": [async () => await ai6.streamText({ model: model6(), prompt: "?" }).text, text],
  "ai 6 streamText with the tracer": [
    async () => await ai6.streamText({ model: model6(), prompt: "?", experimental_telemetry }).text,
    text,
  ],
  "ai 6 embed with the tracer": [
    () => ai6.embed({ model: embed6(), value: "x", experimental_telemetry }),
    { vectors: 1 },
  ],
  "langchain retriever": [() => new Papers().invoke("x")],
  "langchain chat model": [() => new FakeListChatModel({ responses: ["a"] }).invoke("x")],
  "langchain chat model stream": [
    async () => await readAll(await new FakeListChatModel({ responses: ["a"] }).stream("x")),
  ],
  "langchain chat model stream events": [
    async () =>
      await readAll(new FakeListChatModel({ responses: ["a"] }).streamEvents("x", { version: "v2" })),
  ],
  "langchain llm": [() => new FakeLLM({ response: "a" }).invoke("x")],
};

describe.each(Object.entries(CALLS))("%s", (_name, [call, answer]) => {
  it("leaves the context of its caller as it was", async () => {
    takeSpans();
    if (answer !== undefined) server.answerWith(answer);
    const idOf = (): string => observe("probe", (span) => span.traceId);
    const before = currentSpan().spanId;
    const running = call();
    const during = currentSpan().spanId;
    const elsewhere = new Promise<string>((resolve) => setTimeout(() => resolve(currentSpan().spanId), 5));
    await running;
    expect([before, during, await elsewhere, currentSpan().spanId]).toEqual(["", "", "", ""]);
    await observe("app", async (span) => {
      if (answer !== undefined) server.answerWith(answer);
      const inside = call();
      expect(currentSpan().spanId).toBe(span.spanId);
      await inside;
      expect(currentSpan().spanId).toBe(span.spanId);
      expect(idOf()).toBe(span.traceId);
    });
    expect(currentSpan().spanId).toBe("");
    expect(takeSpans().length).toBeGreaterThan(1);
  });
});
