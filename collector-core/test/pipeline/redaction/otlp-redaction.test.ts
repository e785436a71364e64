import { describe, expect, it } from "vitest";
import type { NormalizedSpan, TraceDetail } from "../../../src/api-schema/trace.js";
import { bodiesOf, capturesIn, mapBody } from "../../otlp/captures.js";
import { otlpRequest, TRACE, type TestSpan } from "../../otlp/otlp-request.js";
import { startCollector } from "../../running-collector.js";

const SECRET = "jane.doe@example.com";
const said = (text: string): string =>
  JSON.stringify([{ role: "user", parts: [{ type: "text", content: text }] }]);
const asked = (text: string): string => JSON.stringify([{ role: "user", content: text }]);

/** Every attribute with text in each dialect, and other places with text (contract 6). */
const SPANS: readonly TestSpan[] = [
  ...[
    { "gen_ai.input.messages": said(SECRET), "gen_ai.output.messages": said(SECRET) },
    { "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: SECRET }]) },
    { "gen_ai.prompt.0.content": SECRET, "gen_ai.completion.0.content": SECRET },
    { "gen_ai.prompt": SECRET, "gen_ai.completion": SECRET },
    { "gen_ai.tool.definitions": JSON.stringify([{ type: "function", name: "f", description: SECRET }]) },
    { "llm.input_messages.0.message.content": SECRET, "llm.output_messages.0.message.content": SECRET },
    { "llm.input_messages.0.message.contents.0.message_content.text": SECRET },
    { "llm.invocation_parameters": JSON.stringify({ user: SECRET }), "llm.prompt_template.template": SECRET },
    { "input.value": SECRET, "output.value": asked(SECRET), metadata: JSON.stringify({ mail: SECRET }) },
    { "ai.prompt.messages": asked(SECRET), "ai.response.text": SECRET, "ai.response.reasoning": SECRET },
    { "ai.prompt": JSON.stringify({ prompt: SECRET }), "ai.response.object": JSON.stringify({ a: SECRET }) },
    { "ai.response.toolCalls": JSON.stringify([{ toolCallId: "1", toolName: "f", input: { a: SECRET } }]) },
    { "ai.telemetry.metadata.note": SECRET, "ai.settings.system": SECRET },
    { "langfuse.observation.input": asked(SECRET), "langfuse.observation.output": SECRET },
    { "langfuse.observation.metadata.note": SECRET, "langfuse.trace.input": SECRET },
    { "traceloop.entity.input": JSON.stringify({ args: [SECRET] }), "traceloop.entity.output": SECRET },
    { "gcp.vertex.agent.llm_request": JSON.stringify({ contents: [{ parts: [{ text: SECRET }] }] }) },
    { "retrieval.documents.0.document.content": SECRET, "embedding.embeddings.0.embedding.text": SECRET },
    { "db.query.text": `select '${SECRET}'`, "url.full": `https://x.example/?mail=${SECRET}` },
    { "app.anything": [{ deep: [SECRET] }], "user.email": SECRET, "user.id": SECRET, "session.id": SECRET },
  ].map((attributes) => ({ attributes: { "gen_ai.operation.name": "chat", ...attributes } })),
  ...["gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "ai.toolCall.args", "ai.toolCall.result"].map(
    (key) => ({
      attributes: { "gen_ai.operation.name": "execute_tool", [key]: JSON.stringify({ a: SECRET }) },
    }),
  ),
  { name: `mail to ${SECRET}`, status: { code: 2, message: SECRET } },
  {
    events: [
      { name: "gen_ai.user.message", attributes: { content: SECRET } },
      { name: "gen_ai.choice", attributes: { message: JSON.stringify({ content: SECRET }) } },
      { name: "exception", attributes: { "exception.message": SECRET, "exception.stacktrace": SECRET } },
      { name: "custom", attributes: { note: SECRET } },
    ],
  },
];

describe("redaction of OTLP spans (contract 6: every attribute that carries text)", () => {
  it("redacts secrets in every attribute with text, mapped or not", async () => {
    const collector = await startCollector({ REDACTION_ENABLED: "true" });
    const answer = await fetch(`${collector.url}/v1/traces`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(
        otlpRequest(SPANS, { resource: { "service.name": "shop", "host.owner": SECRET } }),
      ),
    });
    expect(answer.status).toBe(200);
    await collector.settled();
    const trace = await collector.get<TraceDetail>(`/v1/traces/${TRACE}?full=1`);
    expect(trace.spans).toHaveLength(SPANS.length);
    const leaking = trace.spans.filter((span) => JSON.stringify(span).includes(SECRET));
    expect(leaking.map(({ attributes, name }) => [name, attributes])).toEqual([]);
  });

  it("does not change the names of models, tools and operations, or ids", async () => {
    const collector = await startCollector({ REDACTION_ENABLED: "true" });
    const names =
      /^(?:model|provider|agent|tool_name|finish_reason|gen_ai\.(?:request\.model|response\.id|operation\.name)|ai\.(?:model\.id|operationId|response\.id)|otel\.scope\.(?:name|version)|span\.kind)$/;
    for (const { capture } of capturesIn("application/json")) {
      for (const body of bodiesOf(capture, "application/json")) {
        const before = mapBody(body, "application/json");
        await fetch(`${collector.url}/v1/traces`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: new Uint8Array(body),
        });
        await collector.settled();
        for (const span of before) {
          const path = `/v1/traces/${span.trace_id}/spans/${span.span_id ?? ""}`;
          const { attributes } = await collector.get<NormalizedSpan>(path);
          for (const [key, value] of Object.entries(span.attributes ?? {})) {
            if (names.test(key)) expect(attributes[key], `${capture.name} ${key}`).toEqual(value);
          }
        }
      }
    }
  });
});
