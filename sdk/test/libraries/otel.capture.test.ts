import { SpanStatusCode } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { beforeAll, expect, it } from "vitest";
import { configure, takeSpans } from "../../src/index.js";
import { ObspanSpanProcessor, obspanTracerProvider } from "../../src/integrations/otel/index.js";

beforeAll(() => configure({ service: "otel-test", capturePrompt: false, captureCompletion: false }));

/** Attributes of all libraries that have the text "secret". */
const TEXTS = [
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.tool.definitions",
  "gen_ai.tool.call.arguments",
  "gen_ai.tool.call.result",
  "gen_ai.prompt.0.content",
  "gen_ai.completion.0.content",
  "llm.input_messages.0.message.content",
  "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments",
  "llm.prompts",
  "input.value",
  "output.value",
  "ai.prompt",
  "ai.prompt.messages",
  "ai.prompt.tools",
  "ai.response.text",
  "ai.response.toolCalls",
  "ai.response.object",
  "ai.toolCall.args",
  "ai.toolCall.input",
  "ai.toolCall.output",
  "ai.toolCall.result",
  "ai.value",
  "ai.values",
  "traceloop.entity.input",
  "traceloop.entity.output",
  "langfuse.observation.input",
  "langfuse.observation.output",
  "genkit:input",
  "genkit:output",
  "mastra.span.input",
  "mastra.span.output",
  "lmnr.span.output",
  "pydantic_ai.all_messages",
  "all_messages_events",
  "final_result",
  "gcp.vertex.agent.llm_request",
  "gcp.vertex.agent.llm_response",
  "gcp.vertex.agent.tool_call_args",
  "gcp.vertex.agent.tool_response",
  "tool_arguments",
  "tool_response",
  "request_data",
  "response_data",
  "db.query.text",
  "embedding.text",
];
const NAMES = {
  "gen_ai.request.model": "gpt-5-mini",
  "gen_ai.usage.input_tokens": 3,
  "gen_ai.tool.name": "search",
  "gen_ai.response.finish_reasons": ["stop"],
  "http.request.method": "POST",
};

it.each([
  ["ObspanSpanProcessor", () => new BasicTracerProvider({ spanProcessors: [new ObspanSpanProcessor()] })],
  ["obspanTracerProvider", () => obspanTracerProvider()],
])("%s leaves out the texts that the capture switches forbid", (_, createProvider) => {
  const span = createProvider().getTracer("own").startSpan("call");
  span.setAttributes({ ...Object.fromEntries(TEXTS.map((key) => [key, "secret"])), ...NAMES });
  span.addEvent("gen_ai.user.message", { content: "secret", "gen_ai.prompt": "secret" });
  span.recordException(new Error("secret"));
  span.setStatus({ code: SpanStatusCode.ERROR, message: "secret" });
  span.end();
  const [recorded] = takeSpans();
  expect(recorded?.attributes).toMatchObject(NAMES);
  expect(JSON.stringify(recorded)).not.toContain("secret");
});
