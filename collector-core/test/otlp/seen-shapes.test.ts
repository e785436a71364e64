import { describe, expect, it } from "vitest";
import { assistant, map, user } from "./map-request.js";
import type { TestSpan } from "./otlp-request.js";

const toolCall = (id: string, name: string, args: unknown) => ({
  type: "tool_call",
  id,
  name,
  arguments: args,
});

/** What installed libraries were seen to send, beyond the captures. */
const SEEN: readonly [what: string, sent: TestSpan & { scope?: string }, expected: object][] = [
  [
    "Strands (TypeScript): a call of a tool by a type in camel case",
    {
      name: "chat",
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o" },
      events: [
        { name: "gen_ai.user.message", attributes: { content: '[{"text":"Calc"}]' } },
        {
          name: "gen_ai.choice",
          attributes: {
            finish_reason: "toolUse",
            message: '[{"type":"toolUse","name":"calculator","toolUseId":"c1","input":{"input":"5"}}]',
          },
        },
      ],
    },
    {
      attributes: {
        prompt_messages: [user("Calc")],
        completion_messages: [
          {
            role: "assistant",
            parts: [toolCall("c1", "calculator", { input: "5" })],
            finish_reason: "toolUse",
          },
        ],
      },
    },
  ],
  [
    "Genkit: requests and answers of tools",
    {
      name: "openai/gpt-4o",
      attributes: {
        "genkit:metadata:subtype": "model",
        "genkit:input":
          '{"messages":[{"role":"user","content":[{"text":"Delete"},{"media":{"url":"https://x.test/a.png","contentType":"image/png"}}]},{"role":"model","content":[{"reasoning":"So"},{"toolRequest":{"name":"delete_file","ref":"c1","input":{"path":".env"}}}]},{"role":"tool","content":[{"toolResponse":{"name":"delete_file","ref":"c1","output":{"ok":true}}}]}]}',
      },
    },
    {
      span_type: "llm",
      attributes: {
        prompt_messages: [
          {
            role: "user",
            parts: [
              { type: "text", content: "Delete" },
              { type: "uri", modality: "image", mime_type: "image/png", uri: "https://x.test/a.png" },
            ],
          },
          {
            role: "assistant",
            parts: [{ type: "reasoning", content: "So" }, toolCall("c1", "delete_file", { path: ".env" })],
          },
          { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: { ok: true } }] },
        ],
      },
    },
  ],
  [
    "OpenInference on Bedrock: definitions of tools in Bedrock's layout, pictures by their format",
    {
      name: "bedrock.converse",
      attributes: {
        "openinference.span.kind": "LLM",
        "llm.tools.0.tool.json_schema":
          '{"toolSpec":{"name":"get_weather","description":"Weather","inputSchema":{"json":{"type":"object"}}}}',
        "input.value":
          '{"messages":[{"role":"user","content":[{"text":"What is this?"},{"image":{"format":"png","source":{"bytes":"iVBO"}}}]}]}',
      },
    },
    {
      attributes: {
        tool_definitions: [
          {
            type: "function",
            name: "get_weather",
            description: "Weather",
            parameters: { type: "object" },
          },
        ],
        prompt_messages: [
          {
            role: "user",
            parts: [
              { type: "text", content: "What is this?" },
              { type: "blob", modality: "image", mime_type: "image/png", content: "iVBO" },
            ],
          },
        ],
      },
    },
  ],
  [
    "Langfuse on the Responses API: a reasoning and a call are one turn",
    {
      name: "OpenAI.responses",
      attributes: {
        "langfuse.observation.type": "generation",
        "langfuse.observation.output":
          '[{"type":"reasoning","summary":[]},{"type":"function_call","call_id":"c1","name":"final_result","arguments":"{}"}]',
      },
    },
    {
      attributes: {
        completion_messages: [{ role: "assistant", parts: [toolCall("c1", "final_result", "{}")] }],
      },
    },
  ],
  [
    "Genkit: model, provider and usage of a call",
    {
      name: "googleai/gemini-2.5-flash",
      attributes: {
        "genkit:type": "action",
        "genkit:metadata:subtype": "model",
        "genkit:name": "googleai/gemini-2.5-flash",
        "genkit:output":
          '{"message":{"role":"model","content":[{"text":"Hello"}]},"finishReason":"stop","usage":{"inputTokens":21,"outputTokens":26,"thoughtsTokens":7,"cachedContentTokens":3,"totalTokens":54}}',
      },
    },
    {
      span_type: "llm",
      attributes: {
        model: "gemini-2.5-flash",
        provider: "google",
        tokens_input: 21,
        tokens_output: 26,
        tokens_cached: 3,
        tokens_reasoning: 7,
        completion_messages: [{ ...assistant("Hello"), finish_reason: "stop" }],
      },
    },
  ],
  [
    "Genkit: the work around the calls",
    { name: "generate", attributes: { "genkit:type": "util", "genkit:name": "generate" } },
    { span_type: "task" },
  ],
  [
    "AI SDK 4: reasoning tokens stand in the provider's metadata alone",
    {
      name: "ai.generateText.doGenerate",
      attributes: {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.model.provider": "openai.chat",
        "ai.usage.promptTokens": 11,
        "ai.usage.completionTokens": 228,
        "ai.response.providerMetadata": '{"openai":{"reasoningTokens":192,"cachedPromptTokens":0}}',
      },
    },
    { attributes: { tokens_input: 11, tokens_output: 228, tokens_reasoning: 192, tokens_cached: 0 } },
  ],
  [
    "Mastra: finish reasons as a text of JSON, the session and the user among its metadata",
    {
      name: "chat gpt-4o",
      attributes: {
        "mastra.span.type": "model_inference",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.response.finish_reasons": '["tool-calls"]',
        "mastra.metadata.userId": "u1",
        "mastra.metadata.sessionId": "s1",
        "mastra.completion_start_time": "2025-11-21T03:15:03.484Z",
      },
    },
    {
      span_type: "llm",
      status: "OK",
      attributes: { finish_reason: "tool-calls", user_id: "u1", session_id: "s1", ttft_ms: 99.876544 },
    },
  ],
  [
    "Mastra: a call that failed, by its finish reason alone",
    {
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.response.finish_reasons": '["error"]',
      },
    },
    { status: "ERROR" },
  ],
  [
    "a workflow is called by its name",
    { name: "invoke_workflow orders", attributes: { "gen_ai.operation.name": "invoke_workflow" } },
    { span_type: "agent", attributes: { agent: "orders" } },
  ],
  [
    "OpenInference on LangChain: who it was among the metadata, the settings as a text",
    {
      name: "ChatOpenAI",
      attributes: {
        "openinference.span.kind": "LLM",
        "llm.model_name": "gpt-4o",
        "llm.invocation_parameters": '{"model":"gpt-4o","temperature":0.3,"max_tokens":100}',
        "llm.stop_reason": "stop",
        metadata: '{"user_id":"u1","thread_id":"t1","ls_provider":"openai","ls_model_name":"gpt-4o"}',
      },
    },
    {
      attributes: {
        provider: "openai",
        user_id: "u1",
        session_id: "t1",
        temperature: 0.3,
        max_tokens: 100,
        finish_reason: "stop",
      },
    },
  ],
  [
    "Langfuse on LangChain: the provider among the metadata",
    {
      name: "ChatAnthropic",
      attributes: {
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": "claude",
        "langfuse.observation.model.parameters": '{"temperature":0.2}',
        "langfuse.observation.metadata.ls_provider": "anthropic",
      },
    },
    { attributes: { model: "claude", provider: "anthropic", temperature: 0.2 } },
  ],
  [
    "LangSmith: details of the usage, the thread; its own session is a project and no session",
    {
      name: "ChatOpenAI",
      attributes: {
        "langsmith.span.kind": "llm",
        "langsmith.trace.session_id": "e2c5…",
        "langsmith.metadata.thread_id": "t1",
        "langsmith.metadata.user_id": "u1",
        "langsmith.metadata.ls_provider": "openai",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.usage.input_tokens": 1370,
        "gen_ai.usage.output_tokens": 155,
        "langsmith.usage_metadata":
          '{"input_tokens":1370,"output_tokens":155,"total_tokens":1525,"input_token_details":{"cache_read":1280},"output_token_details":{"reasoning":9}}',
      },
    },
    {
      attributes: {
        provider: "openai",
        session_id: "t1",
        user_id: "u1",
        tokens_input: 1370,
        tokens_cached: 1280,
        tokens_reasoning: 9,
      },
    },
  ],
  [
    "VoltAgent: an agent by its entity",
    {
      name: "deleter",
      attributes: { "entity.type": "agent", "entity.name": "deleter", "conversation.id": "c1" },
    },
    { span_type: "agent", attributes: { agent: "deleter", session_id: "c1" } },
  ],
  [
    "VoltAgent: a call by its own type",
    {
      name: "llm:generateText",
      attributes: {
        "span.type": "llm",
        "entity.type": "agent",
        "entity.name": "deleter",
        "llm.model": "gpt-4o",
        "llm.usage.prompt_tokens": 133,
        "llm.usage.completion_tokens": 19,
      },
    },
    { span_type: "llm", attributes: { model: "gpt-4o", tokens_input: 133, tokens_output: 19 } },
  ],
  [
    "Traceloop on Cohere: a message under its role; what is no part of a message stays",
    {
      name: "cohere.chat",
      attributes: {
        "llm.request.type": "chat",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.user": "When was Newton born?",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "In 1642",
        "gen_ai.completion.0.searchQuery": "Newton birth year",
      },
    },
    {
      attributes: {
        prompt_messages: [user("When was Newton born?")],
        completion_messages: [assistant("In 1642")],
        "gen_ai.completion.0.searchQuery": "Newton birth year",
      },
    },
  ],
  [
    "Mastra: the instructions of an agent in one attribute, what it was asked in another",
    {
      name: "invoke_agent Deleter",
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "mastra.span.type": "agent_run",
        "gen_ai.system_instructions": '[{"type":"text","content":"Be brief."}]',
        "mastra.agent_run.input": "Delete",
        "mastra.agent_run.output": '{"text":"Done"}',
      },
    },
    {
      span_type: "agent",
      attributes: {
        agent: "Deleter",
        prompt_messages: [
          { role: "system", parts: [{ type: "text", content: "Be brief." }] },
          user("Delete"),
        ],
        output_text: '{"text":"Done"}',
      },
    },
  ],
  [
    "Strands: what a tool was called with, in an event",
    {
      attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "calculator" },
      events: [
        {
          name: "gen_ai.client.inference.operation.details",
          attributes: {
            "gen_ai.input.messages":
              '[{"role":"tool","parts":[{"type":"tool_call","name":"calculator","id":"c1","arguments":{"input":"5"}}]}]',
          },
        },
      ],
    },
    { span_type: "tool", attributes: { input_text: '{"input":"5"}' } },
  ],
  [
    "a tool is given its input, not the schema of its parameters",
    {
      attributes: {
        "openinference.span.kind": "TOOL",
        "tool.name": "get_weather",
        "tool.parameters": '{"type":"object"}',
        "input.value": '{"city":"Rome"}',
      },
    },
    {
      attributes: {
        tool_name: "get_weather",
        input_text: '{"city":"Rome"}',
        "tool.parameters": '{"type":"object"}',
      },
    },
  ],
  [
    "AI SDK: the values of many embeddings",
    {
      name: "ai.embedMany.doEmbed",
      attributes: { "ai.operationId": "ai.embedMany.doEmbed", "ai.values": ['"cats"', '"dogs"'] },
    },
    { span_type: "embedding", attributes: { input_text: '["\\"cats\\"","\\"dogs\\""]' } },
  ],
  [
    "Langfuse: embeddings of OpenAI's client, which it calls a generation",
    {
      name: "OpenAI.embeddings",
      attributes: {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": "cats",
        "langfuse.observation.model.name": "text-embedding-3-small",
      },
    },
    { span_type: "embedding", attributes: { model: "text-embedding-3-small", input_text: "cats" } },
  ],
  [
    "Laminar: type, text and session",
    {
      name: "search",
      attributes: {
        "lmnr.span.type": "TOOL",
        "lmnr.span.input": '{"q":"cats"}',
        "lmnr.span.output": "[]",
        "lmnr.association.properties.session_id": "s1",
      },
    },
    { span_type: "tool", attributes: { input_text: '{"q":"cats"}', output_text: "[]", session_id: "s1" } },
  ],
  [
    "Pydantic AI's first versions: the events as one attribute",
    {
      name: "chat gpt-4o",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o",
        events:
          '[{"content":"Hi","role":"user","gen_ai.message.index":0,"event.name":"gen_ai.user.message"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"get_time","arguments":{"city":"Rome"}}}],"gen_ai.message.index":1,"event.name":"gen_ai.assistant.message"},{"content":"noon","role":"tool","id":"c1","name":"get_time","gen_ai.message.index":2,"event.name":"gen_ai.tool.message"},{"index":0,"message":{"role":"assistant","content":"It is noon"},"event.name":"gen_ai.choice"}]',
      },
    },
    {
      attributes: {
        prompt_messages: [
          user("Hi"),
          { role: "assistant", parts: [toolCall("c1", "get_time", { city: "Rome" })] },
          { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "noon" }] },
        ],
        completion_messages: [assistant("It is noon")],
      },
    },
  ],
  [
    "Traceloop for Python on LangChain: the provider is not the framework",
    {
      name: "ChatOpenAI.chat",
      attributes: {
        "llm.request.type": "chat",
        "gen_ai.system": "Langchain",
        "gen_ai.request.model": "gpt-4o",
        "traceloop.association.properties.ls_provider": "openai",
        "traceloop.association.properties.thread_id": "t1",
        "traceloop.association.properties.userId": "u1",
      },
    },
    { span_type: "llm", attributes: { provider: "openai", session_id: "t1", user_id: "u1" } },
  ],
  [
    "OpenInference around the AI SDK: calls without a name, arguments written as JSON twice",
    {
      attributes: {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Delete",
        "llm.input_messages.0.message.tool_calls.0.tool_call.id": null,
        "llm.input_messages.0.message.tool_calls.0.tool_call.function.name": null,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "delete_file",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments":
          '"{\\"path\\": \\".env\\"}"',
      },
    },
    {
      attributes: {
        prompt_messages: [user("Delete")],
        completion_messages: [
          { role: "assistant", parts: [toolCall("c1", "delete_file", '{"path": ".env"}')] },
        ],
      },
    },
  ],
  [
    "Semantic Kernel's first names of the usage",
    {
      attributes: {
        "gen_ai.operation.name": "chat.completions",
        "gen_ai.request.model": "gpt-4",
        "gen_ai.response.prompt_tokens": 12,
        "gen_ai.response.completion_tokens": 3,
      },
    },
    { span_type: "llm", attributes: { tokens_input: 12, tokens_output: 3 } },
  ],
  [
    "Microsoft.Extensions.AI: what calls model and tools in turn is no call",
    {
      name: "orchestrate_tools gpt-4o",
      attributes: {
        "gen_ai.operation.name": "orchestrate_tools",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o",
      },
    },
    { span_type: "task" },
  ],
  [
    "Spring AI: numbers and finish reasons as texts",
    {
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.system": "openai",
        "gen_ai.usage.input_tokens": "12",
        "gen_ai.usage.output_tokens": "3",
        "gen_ai.response.finish_reasons": '["STOP"]',
      },
    },
    { attributes: { tokens_input: 12, tokens_output: 3, finish_reason: "STOP" } },
  ],
  [
    "Google ADK: the session of a call",
    {
      name: "call_llm",
      attributes: {
        "gen_ai.system": "gcp.vertex.agent",
        "gen_ai.request.model": "gemini-2.0-flash",
        "gcp.vertex.agent.session_id": "s1",
      },
    },
    { span_type: "llm", attributes: { provider: "google", session_id: "s1" } },
  ],
  [
    "Traceloop 0.14: the schema of a function under its arguments",
    {
      attributes: {
        "llm.request.type": "chat",
        "llm.request.functions.0.name": "create_file",
        "llm.request.functions.0.arguments": '{"type":"object"}',
      },
    },
    {
      attributes: {
        tool_definitions: [{ type: "function", name: "create_file", parameters: { type: "object" } }],
      },
    },
  ],
];

describe("Layouts that libraries send in practice (contract 6)", () => {
  it.each(SEEN)("%s", (_what, { scope, ...sent }, expected) => {
    expect(map(sent, scope)).toMatchObject(expected);
  });
});
