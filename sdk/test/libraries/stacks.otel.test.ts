import { context, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import Anthropic from "@anthropic-ai/sdk";
import { ChatOpenAI } from "@langchain/openai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { configure, observe } from "../../src/index.js";
import { wrapAnthropic } from "../../src/integrations/anthropic/index.js";
import { ObspanCallbackHandler } from "../../src/integrations/langchain/index.js";
import { wrapOpenAI } from "../../src/integrations/openai/index.js";
import { ObspanSpanProcessor, obspanTracerProvider } from "../../src/integrations/otel/index.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { anthropicAnswer, ANTHROPIC_TOKENS, CHAT_TOKENS, chatAnswer } from "./chat-server.js";
import { expectOneTrace, hasTokens, hookFetchOf } from "./one-call.js";
import { readAll } from "./read-stream.js";
import { ofType, takeAll, treeOf } from "./taken-spans.js";

let server: ReplayServer;
beforeAll(async () => {
  configure({ service: "stacks-test" });
  server = await startReplayServer();
  hookFetchOf(server.url);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => {
  context.disable();
  return server.close();
});
beforeEach(() => {
  server.reset();
  takeAll();
});

const TRACERS = [
  [
    "ObspanSpanProcessor",
    () => new BasicTracerProvider({ spanProcessors: [new ObspanSpanProcessor()] }).getTracer("openai"),
  ],
  ["obspanTracerProvider", () => obspanTracerProvider().getTracer("openai")],
] as const;

const request = { model: "gpt-5-mini", messages: [{ role: "user" as const, content: "Hi" }] };
const GEN_AI = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "openai",
  "gen_ai.request.model": "gpt-5-mini",
};
const GEN_AI_USAGE = { "gen_ai.usage.input_tokens": 30, "gen_ai.usage.output_tokens": 12 };

async function ask(client: OpenAI, isStream: boolean): Promise<void> {
  if (isStream) await readAll(await client.chat.completions.create({ ...request, stream: true }));
  else await client.chat.completions.create(request);
}

describe.each([false, true])("streamed: %s", (isStream) => {
  describe.each(TRACERS)("a span of %s", (_, createTracer) => {
    let tracer: Tracer;
    beforeAll(() => void (tracer = createTracer()));
    const traced = async (run: () => Promise<unknown>): Promise<unknown> =>
      await tracer.startActiveSpan("chat gpt-5-mini", { attributes: GEN_AI }, async (span) => {
        const result = await run();
        span.setAttributes(GEN_AI_USAGE).end();
        return result;
      });

    // The span of the wrapper is the one without a model call inside, and counts.
    it.each(["a wrapped client", "fetch that is hooked"])("around %s is its parent", async (layer) => {
      server.expect(chatAnswer("Hello there", isStream));
      const client = new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 });
      if (layer === "a wrapped client") wrapOpenAI(client);
      await observe("request", () => traced(() => ask(client, isStream)));
      const spans = takeAll();
      expectOneTrace(spans);
      expect(treeOf(spans)).toEqual([
        "span request",
        "  otel:span chat gpt-5-mini UNSET",
        "    llm chat gpt-5-mini",
      ]);
      expect(ofType(spans, "llm")[0]?.attributes).toMatchObject(CHAT_TOKENS);
      expect(ofType(spans, "otel:span")[0]?.attributes).toMatchObject({ ...GEN_AI, ...GEN_AI_USAGE });
    });

    // The span of OpenTelemetry counts: nothing is recorded below it.
    it("inside a wrapped client is its child, and the only one", async () => {
      server.expect(chatAnswer("Hello there", isStream));
      // What instruments the client runs inside its method.
      const instrumented: typeof fetch = async (...args) =>
        (await traced(async () => await fetch(...args))) as Response;
      const client = wrapOpenAI(
        new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0, fetch: instrumented }),
      );
      await observe("request", () => ask(client, isStream));
      const spans = takeAll();
      expectOneTrace(spans);
      expect(treeOf(spans)).toEqual([
        "span request",
        "  llm chat gpt-5-mini",
        "    otel:span chat gpt-5-mini UNSET",
      ]);
      expect(ofType(spans, "llm")[0]?.attributes).toMatchObject(CHAT_TOKENS);
    });
  });

  describe.each(TRACERS)("LangChain over a span of %s over a wrapped client", (_, createTracer) => {
    it.each([false, true])("has one model span, inside the span of the app: %s", async (isInside) => {
      const tracer = createTracer();
      server.expect(chatAnswer("Hello there", isStream));
      const model = new ChatOpenAI({ model: "gpt-5-mini", apiKey: "k", maxRetries: 0 });
      const client = wrapOpenAI(new OpenAI({ apiKey: "k", baseURL: `${server.url}/v1`, maxRetries: 0 }));
      const { create } = client.chat.completions;
      // What instruments the client runs around its method.
      const instrumented = async (...args: Parameters<typeof create>): Promise<unknown> =>
        await tracer.startActiveSpan("chat gpt-5-mini", { attributes: GEN_AI }, async (span) => {
          const result: unknown = await create.apply(client.chat.completions, args);
          span.end();
          return result;
        });
      const completions = { create: instrumented };
      Object.assign((model as unknown as { completions: object }).completions, {
        client: { chat: { completions } },
      });
      const handled = { callbacks: [new ObspanCallbackHandler()] };
      const run = async (): Promise<void> => {
        if (isStream) await readAll(await model.stream("Hi", handled));
        else await model.invoke("Hi", handled);
      };
      await (isInside ? observe("request", run) : run());
      const spans = takeAll();
      expectOneTrace(spans);
      const lines = ["task chat gpt-5-mini", "  otel:span chat gpt-5-mini UNSET", "    llm chat gpt-5-mini"];
      expect(treeOf(spans)).toEqual(isInside ? ["span request", ...lines.map((line) => `  ${line}`)] : lines);
      expect(ofType(spans, "llm")[0]?.attributes).toMatchObject(CHAT_TOKENS);
      expect(spans.filter(hasTokens)).toHaveLength(1);
    });
  });

  it("Anthropic's own spans beside wrapAnthropic, over fetch that is hooked", async () => {
    server.expect(anthropicAnswer("Hello there", isStream));
    const client = wrapAnthropic(
      new Anthropic({
        apiKey: "k",
        baseURL: server.url,
        maxRetries: 0,
        openTelemetry: { tracerProvider: obspanTracerProvider() },
      }),
    );
    const message = { model: "claude-sonnet-5", max_tokens: 10, messages: request.messages };
    await observe("request", async () => {
      if (isStream) await readAll(await client.messages.create({ ...message, stream: true }));
      else await client.messages.create(message);
    });
    const spans = takeAll();
    expectOneTrace(spans);
    expect(ofType(spans, "llm").map(({ attributes }) => attributes)).toMatchObject([ANTHROPIC_TOKENS]);
    expect(ofType(spans, "otel:span")).toHaveLength(1);
  });
});
