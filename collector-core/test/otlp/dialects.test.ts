import { describe, expect, it } from "vitest";
import { createLinkMemories } from "../../src/ingest/link-memory.js";
import { assistant, map, mapAll, user } from "./map-request.js";
import type { TestSpan } from "./otlp-request.js";

/** What libraries of other languages, versions and vendors send: shapes of their documentation and sources. */
const SENDERS: readonly [name: string, sent: TestSpan & { scope?: string }, expected: object][] = [
  [
    "OpenTelemetry 1.27 with the deprecated names and message events",
    {
      name: "chat gpt-4",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.system": "az.ai.openai",
        "gen_ai.request.model": "gpt-4",
        "gen_ai.usage.prompt_tokens": 11,
        "gen_ai.usage.completion_tokens": 7,
        "gen_ai.response.finish_reasons": ["stop"],
      },
      events: [
        { name: "gen_ai.user.message", attributes: { content: "Hi" } },
        {
          name: "gen_ai.choice",
          attributes: { index: 0, finish_reason: "stop", message: '{"role":"assistant","content":"Hello"}' },
        },
      ],
    },
    {
      span_type: "llm",
      attributes: {
        model: "gpt-4",
        provider: "azure",
        tokens_input: 11,
        tokens_output: 7,
        finish_reason: "stop",
        prompt_messages: [user("Hi")],
        completion_messages: [{ ...assistant("Hello"), finish_reason: "stop" }],
      },
    },
  ],
  [
    "OpenTelemetry with the details of the inference in one event",
    {
      attributes: { "gen_ai.operation.name": "generate_content", "gen_ai.provider.name": "gcp.gemini" },
      events: [
        {
          name: "gen_ai.client.inference.operation.details",
          attributes: {
            "gen_ai.system_instructions": [{ type: "text", content: "Be brief." }],
            "gen_ai.input.messages": [{ role: "user", parts: [{ type: "text", content: "Hi" }] }],
            "gen_ai.output.messages": [
              { role: "assistant", parts: [{ type: "text", content: "Hello" }], finish_reason: "stop" },
            ],
          },
        },
      ],
    },
    {
      span_type: "llm",
      attributes: {
        provider: "google",
        prompt_messages: [{ role: "system", parts: [{ type: "text", content: "Be brief." }] }, user("Hi")],
        completion_messages: [{ ...assistant("Hello"), finish_reason: "stop" }],
      },
    },
  ],
  [
    "Traceloop for Python, with a message for each index",
    {
      name: "openai.chat",
      attributes: {
        "llm.request.type": "chat",
        "gen_ai.system": "OpenAI",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.response.model": "gpt-4o-2024-08-06",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "What is the weather?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        "gen_ai.completion.0.tool_calls.0.id": "call_1",
        "gen_ai.completion.0.tool_calls.0.name": "get_weather",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"city":"Rome"}',
        "llm.request.functions.0.name": "get_weather",
        "llm.request.functions.0.description": "The weather of a city",
        "llm.request.functions.0.parameters": '{"type":"object"}',
        "gen_ai.usage.prompt_tokens": 20,
        "gen_ai.usage.completion_tokens": 5,
        "llm.usage.total_tokens": 25,
        "llm.is_streaming": false,
      },
    },
    {
      span_type: "llm",
      attributes: {
        model: "gpt-4o-2024-08-06",
        provider: "openai",
        tokens_input: 20,
        tokens_output: 5,
        stream: false,
        prompt_messages: [user("What is the weather?")],
        completion_messages: [
          {
            role: "assistant",
            parts: [{ type: "tool_call", id: "call_1", name: "get_weather", arguments: '{"city":"Rome"}' }],
            finish_reason: "tool_calls",
          },
        ],
        tool_definitions: [
          {
            type: "function",
            name: "get_weather",
            description: "The weather of a city",
            parameters: { type: "object" },
          },
        ],
      },
    },
  ],
  [
    "OpenInference for Python with LangChain: a chain",
    {
      name: "RunnableSequence",
      attributes: {
        "openinference.span.kind": "CHAIN",
        "input.value": "What is the weather?",
        "output.value": "Fine.",
        metadata: '{"langgraph_node":"agent"}',
      },
    },
    { span_type: "task", attributes: { input_text: "What is the weather?", output_text: "Fine." } },
  ],
  [
    "OpenInference: a call with a picture, a tool result and the first token as an event",
    {
      attributes: {
        "openinference.span.kind": "LLM",
        "llm.model_name": "claude-3-5-sonnet",
        "llm.provider": "anthropic",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "What is this?",
        "llm.input_messages.0.message.contents.1.message_content.type": "image",
        "llm.input_messages.0.message.contents.1.message_content.image.image.url":
          "https://example.com/cat.png",
        "llm.input_messages.1.message.role": "tool",
        "llm.input_messages.1.message.tool_call_id": "call_1",
        "llm.input_messages.1.message.content": "A cat.",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "A cat",
        "llm.token_count.prompt": 1300,
        "llm.token_count.completion": 3,
        "llm.token_count.prompt_details.cache_read": 1000,
        "llm.cost.total": 0.0125,
        "session.id": "s1",
        "user.id": "u1",
      },
      events: [{ name: "First Token Stream Event" }],
    },
    {
      span_type: "llm",
      attributes: {
        tokens_input: 1300,
        tokens_cached: 1000,
        cost_usd: 0.0125,
        ttft_ms: 200,
        session_id: "s1",
        user_id: "u1",
        prompt_messages: [
          {
            role: "user",
            parts: [
              { type: "text", content: "What is this?" },
              { type: "uri", modality: "image", mime_type: "", uri: "https://example.com/cat.png" },
            ],
          },
          { role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: "A cat." }] },
        ],
        completion_messages: [assistant("A cat")],
      },
    },
  ],
  [
    "AI SDK 4: tokens that leave Anthropic's cache out",
    {
      name: "ai.streamText.doStream",
      attributes: {
        "ai.operationId": "ai.streamText.doStream",
        "ai.model.id": "claude-3-7-sonnet",
        "ai.model.provider": "anthropic.messages",
        "ai.prompt.messages": '[{"role":"user","content":[{"type":"text","text":"Hi"}]}]',
        "ai.response.text": "Hello",
        "ai.response.finishReason": "stop",
        "ai.response.msToFirstChunk": 41.5,
        "ai.usage.promptTokens": 2000,
        "ai.usage.completionTokens": 3,
        "ai.response.providerMetadata":
          '{"anthropic":{"cacheCreationInputTokens":0,"cacheReadInputTokens":500}}',
      },
    },
    {
      span_type: "llm",
      attributes: {
        provider: "anthropic",
        tokens_input: 2500,
        tokens_cached: 500,
        ttft_ms: 41.5,
        finish_reason: "stop",
        prompt_messages: [user("Hi")],
        completion_messages: [assistant("Hello")],
      },
    },
  ],
  [
    "AI SDK 6: the details of its input tokens say that all are in",
    {
      name: "ai.generateText.doGenerate",
      attributes: {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.model.id": "claude-sonnet-4-5",
        "ai.model.provider": "anthropic.messages",
        "ai.usage.inputTokens": 2500,
        "ai.usage.outputTokens": 3,
        "ai.usage.inputTokenDetails.noCacheTokens": 2000,
        "ai.usage.inputTokenDetails.cacheReadTokens": 500,
      },
    },
    { attributes: { tokens_input: 2500, tokens_cached: 500 } },
  ],
  [
    "AI SDK 5: a failed stream shows it only by its finish reason",
    {
      name: "ai.streamText.doStream",
      attributes: {
        "ai.operationId": "ai.streamText.doStream",
        "ai.model.id": "gpt-4o",
        "ai.response.finishReason": "error",
      },
    },
    { span_type: "llm", status: "ERROR" },
  ],
  [
    "Langfuse for Python: usage in OpenAI's layout",
    {
      attributes: {
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": "gpt-4o",
        "langfuse.observation.usage_details":
          '{"prompt_tokens":100,"completion_tokens":9,"total_tokens":109,"prompt_tokens_details":{"cached_tokens":40}}',
        "langfuse.observation.cost_details": '{"input":0.01,"output":0.02}',
        "langfuse.session.id": "s9",
        "langfuse.observation.input": '[{"role":"user","content":"Hi"}]',
        "langfuse.observation.output": "Hello",
      },
    },
    {
      span_type: "llm",
      attributes: {
        tokens_input: 100,
        tokens_output: 9,
        tokens_cached: 40,
        cost_usd: 0.03,
        session_id: "s9",
        prompt_messages: [user("Hi")],
        completion_text: "Hello",
      },
    },
  ],
  [
    "Pydantic AI: an agent's run repeats the usage, and does not call itself an agent",
    {
      name: "agent run",
      attributes: {
        model_name: "gpt-4o",
        agent_name: "weather",
        "gen_ai.usage.input_tokens": 50,
        "gen_ai.usage.output_tokens": 5,
        final_result: "Fine.",
        all_messages_events: '[{"role":"user","content":"Hi","event.name":"gen_ai.user.message"}]',
      },
    },
    {
      span_type: "agent",
      attributes: {
        agent: "weather",
        usage_total_tokens_input: 50,
        usage_total_tokens_output: 5,
        output_text: "Fine.",
      },
    },
  ],
  [
    "Pydantic AI: a tool",
    {
      name: "running tool",
      attributes: {
        "gen_ai.tool.name": "get_weather",
        "gen_ai.tool.call.id": "call_1",
        tool_arguments: '{"city":"Rome"}',
        tool_response: "Fine.",
      },
    },
    {
      span_type: "tool",
      attributes: { tool_name: "get_weather", input_text: '{"city":"Rome"}', output_text: "Fine." },
    },
  ],
  [
    "Google ADK: a call without an operation, its request and answer in Google's layout",
    {
      name: "call_llm",
      attributes: {
        "gen_ai.system": "gcp.vertex.agent",
        "gen_ai.request.model": "gemini-2.0-flash",
        "gcp.vertex.agent.llm_request":
          '{"model":"gemini-2.0-flash","config":{"system_instruction":"Be brief."},"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}',
        "gcp.vertex.agent.llm_response":
          '{"content":{"role":"model","parts":[{"function_call":{"id":"f1","name":"get_time","args":{"city":"Rome"}}}]}}',
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 4,
      },
    },
    {
      span_type: "llm",
      attributes: {
        provider: "google",
        tokens_input: 12,
        prompt_messages: [{ role: "system", parts: [{ type: "text", content: "Be brief." }] }, user("Hi")],
        completion_messages: [
          {
            role: "assistant",
            parts: [{ type: "tool_call", id: "f1", name: "get_time", arguments: { city: "Rome" } }],
          },
        ],
      },
    },
  ],
  [
    "Strands: messages in Bedrock's layout, tokens that leave the cache out of all but the total",
    {
      name: "chat",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.system": "strands-agents",
        "gen_ai.request.model": "us.anthropic.claude-sonnet-4",
        "gen_ai.usage.input_tokens": 2000,
        "gen_ai.usage.output_tokens": 10,
        "gen_ai.usage.cache_read_input_tokens": 300,
        "gen_ai.usage.cache_write_input_tokens": 0,
        "gen_ai.usage.total_tokens": 2310,
      },
      events: [
        { name: "gen_ai.user.message", attributes: { content: '[{"text":"Hi"}]' } },
        {
          name: "gen_ai.choice",
          attributes: {
            finish_reason: "tool_use",
            message: '[{"toolUse":{"toolUseId":"t1","name":"get_time","input":{"city":"Rome"}}}]',
          },
        },
      ],
    },
    {
      span_type: "llm",
      attributes: {
        tokens_input: 2300,
        tokens_cached: 300,
        prompt_messages: [user("Hi")],
        completion_messages: [
          {
            role: "assistant",
            parts: [{ type: "tool_call", id: "t1", name: "get_time", arguments: { city: "Rome" } }],
            finish_reason: "tool_use",
          },
        ],
      },
    },
  ],
  [
    "LiteLLM: old names and a cost",
    {
      name: "litellm_request",
      attributes: {
        "llm.request.type": "chat",
        "gen_ai.system": "bedrock_converse",
        "gen_ai.request.model": "claude",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Hi",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "Hello",
        "gen_ai.usage.prompt_tokens": 8,
        "gen_ai.usage.completion_tokens": 2,
        "gen_ai.cost.total_cost": 0.001,
      },
    },
    {
      span_type: "llm",
      attributes: {
        provider: "bedrock",
        tokens_input: 8,
        cost_usd: 0.001,
        prompt_messages: [user("Hi")],
        completion_messages: [assistant("Hello")],
      },
    },
  ],
  [
    "LangSmith: a chat in LangChain's own classes",
    {
      name: "ChatOpenAI",
      attributes: {
        "langsmith.span.kind": "llm",
        "gen_ai.system": "openai",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.prompt":
          '{"messages":[[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"Hi"}}]]}',
        "gen_ai.completion":
          '{"generations":[[{"text":"Hello","message":{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"Hello"}}}]]}',
        "gen_ai.usage.input_tokens": 8,
      },
    },
    {
      span_type: "llm",
      attributes: {
        prompt_messages: [user("Hi")],
        completion_messages: [assistant("Hello")],
        tokens_input: 8,
      },
    },
  ],
  [
    "Mastra: a tool by its own kind",
    {
      name: "tool call",
      attributes: {
        "mastra.span.type": "tool_call",
        "gen_ai.tool.name": "get_time",
        "gen_ai.tool.call.arguments": "{}",
      },
    },
    { span_type: "tool", attributes: { tool_name: "get_time", input_text: "{}" } },
  ],
  [
    "a retrieval of OpenTelemetry's",
    {
      attributes: {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": "cats",
        "gen_ai.data_source.id": "docs",
      },
    },
    { span_type: "retrieval", attributes: { input_text: "cats", "gen_ai.data_source.id": "docs" } },
  ],
  [
    "a span that has nothing to do with models",
    {
      name: "GET /cart",
      kind: 2,
      attributes: { "http.request.method": "GET", "http.response.status_code": 500, "error.type": "500" },
    },
    {
      name: "GET /cart",
      span_type: "span",
      status: "ERROR",
      attributes: { "http.request.method": "GET", "span.kind": "server", error_type: "500" },
    },
  ],
];

describe("Names of many libraries (contract 6)", () => {
  it.each(SENDERS)("%s", (_name, { scope, ...sent }, expected) => {
    expect(map(sent, scope)).toMatchObject(expected);
  });

  it("keeps unmapped attributes of every type unchanged", () => {
    const attributes = { "app.cart": { items: [1, "two", null, true], total: 1.5 }, "app.flag": false };
    expect(map({ attributes }).attributes).toMatchObject(attributes);
  });

  it("drops duplicates of a mapped value and keeps different values", () => {
    const { attributes } = map({
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.response.model": "gpt-4o-2024-08-06",
        "gen_ai.usage.input_tokens": 5,
        "ai.usage.promptTokens": 5,
      },
    });
    expect(attributes).toEqual({
      model: "gpt-4o-2024-08-06",
      tokens_input: 5,
      "gen_ai.request.model": "gpt-4o",
      "otel.scope.name": "test",
    });
  });

  it("does not treat missing usage as zero", () => {
    const { attributes } = map({
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" },
    });
    expect(attributes).not.toHaveProperty("tokens_input");
    expect(attributes).not.toHaveProperty("cost_usd");
  });

  it.each([
    ["openai.responses", "openai"],
    ["OpenAI", "openai"],
    ["anthropic.messages", "anthropic"],
    ["google.generative-ai", "google"],
    ["gcp.vertex_ai", "google"],
    ["vertex_ai", "google"],
    ["aws.bedrock", "bedrock"],
    ["amazon-bedrock", "bedrock"],
    ["azure.ai.inference", "azure"],
    ["azure-openai.chat", "azure"],
    ["mistral_ai", "mistral"],
    ["x_ai", "xai"],
    ["openrouter.chat", "openrouter"],
    ["groq", "groq"],
  ])("calls the provider %s %s", (sent, provider) => {
    const { attributes } = map({
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.provider.name": sent },
    });
    expect(attributes?.["provider"]).toBe(provider);
  });
});

describe("Usage and errors once within a request (contract 6)", () => {
  const call = { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5 };

  it("counts the inner one of two nested calls, in any order of arrival", () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
    ]) {
      const spans = [
        { id: "outer", attributes: call },
        { id: "middle", parent: "outer", attributes: {} },
        { id: "inner", parent: "middle", attributes: call },
      ];
      const mapped = mapAll(order.flatMap((index) => spans[index] ?? []));
      const counted = mapped.filter(({ attributes }) => attributes?.["tokens_input"] === 5);
      expect(counted.map(({ parent_span_id: parent }) => parent !== undefined)).toEqual([true]);
      expect(mapped.some(({ attributes }) => attributes?.["usage_total_tokens_input"] === 5)).toBe(true);
    }
  });

  it("does not count a call around a step around a call", () => {
    const mapped = mapAll([
      { id: "generation", attributes: { "mastra.span.type": "model_generation" } },
      { id: "step", parent: "generation", attributes: { "mastra.span.type": "model_step" } },
      { id: "inference", parent: "step", attributes: call },
    ]);
    expect(mapped.map(({ span_type: type }) => type)).toEqual(["task", "task", "llm"]);
  });

  it("does not count it either if its spans arrive one by one, innermost first", () => {
    const clock = { monotonic: () => 0 };
    const memory = createLinkMemories(clock)("");
    const types = [
      { id: "inference", parent: "step", attributes: call },
      { id: "step", parent: "generation", attributes: {} },
      { id: "generation", parent: "agent", attributes: call },
      { id: "agent", attributes: { "gen_ai.operation.name": "invoke_agent" } },
    ].map((span) => mapAll([span], undefined, memory)[0]?.span_type);
    expect(types).toEqual(["llm", "span", "task", "agent"]);
  });

  it("counts a call that a tool or an agent made inside a call separately", () => {
    const mapped = mapAll([
      { id: "outer", attributes: call },
      { id: "tool", parent: "outer", attributes: { "gen_ai.operation.name": "execute_tool" } },
      { id: "inner", parent: "tool", attributes: call },
    ]);
    expect(mapped.filter(({ attributes }) => attributes?.["tokens_input"] === 5)).toHaveLength(2);
  });

  it("counts a call with usage around calls without usage", () => {
    const silent = { "gen_ai.operation.name": "chat" };
    const mapped = mapAll([
      { id: "framework", attributes: call },
      { id: "client", parent: "framework", attributes: silent },
      { id: "http", parent: "client", attributes: silent },
    ]);
    expect(mapped.map(({ span_type: type, attributes }) => [type, attributes?.["tokens_input"]])).toEqual([
      ["llm", 5],
      ["task", undefined],
      ["task", undefined],
    ]);
  });

  it("maps spans that are each other's parents without a loop or a loss", () => {
    const mapped = mapAll([
      { id: "a", parent: "b", attributes: call },
      { id: "b", parent: "a", attributes: call },
    ]);
    expect(mapped).toHaveLength(2);
  });

  it("resolves spans at the maximum nesting in one pass", () => {
    const depth = 20_000;
    const mapped = mapAll(
      Array.from({ length: depth }, (_, index) => ({
        id: index.toString(36),
        ...(index === 0 ? {} : { parent: (index - 1).toString(36) }),
        attributes: index % 2 === 0 ? { "gen_ai.operation.name": "chat" } : {},
      })),
    );
    expect(mapped).toHaveLength(depth);
  });

  it("counts an error above a successful span separately", () => {
    const error = { status: { code: 2, message: "no" } };
    const mapped = mapAll([
      { id: "root", ...error },
      { id: "middle", parent: "root" },
      { id: "leaf", parent: "middle", ...error },
    ]);
    expect(mapped.map((span) => span.error_propagated)).toEqual([undefined, undefined, undefined]);
  });
});
