import { describe, expect, it } from "vitest";
import { map, user } from "./map-request.js";
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
];

describe("Shapes that libraries were seen to send (contract 6)", () => {
  it.each(SEEN)("%s", (_what, { scope, ...sent }, expected) => {
    expect(map(sent, scope)).toMatchObject(expected);
  });
});
