/** A snippet that sends a first span and can be pasted. */
export interface Snippet {
  readonly id: string;
  readonly name: string;
  readonly language: "shell" | "javascript" | "python";
  /**
   * @param origin - the collector's URL.
   *
   * @param wantsKey - whether `auth.api_keys` is set.
   */
  readonly code: (origin: string, wantsKey: boolean) => string;
}

/** The supported ways, in order. OpenTelemetry comes first while `@obspan/sdk` is not in the npm registry. */
export const SNIPPETS: readonly Snippet[] = [
  {
    id: "otlp",
    name: "OpenTelemetry",
    language: "shell",
    code: (
      origin,
      wantsKey,
    ) => `# Any app that is traced with OpenTelemetry, OpenInference, Traceloop or Langfuse
export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_METRICS_EXPORTER=none
export OTEL_LOGS_EXPORTER=none${wantsKey ? '\nexport OTEL_EXPORTER_OTLP_HEADERS="x-api-key=$OBS_API_KEY"' : ""}`,
  },
  {
    id: "python-otel",
    name: "Python OTel",
    language: "python",
    code: (origin, wantsKey) => `# pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
${wantsKey ? "import os\n" : ""}from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

exporter = OTLPSpanExporter(endpoint="${origin}/v1/traces"${wantsKey ? ', headers={"x-api-key": os.environ["OBS_API_KEY"]}' : ""})
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(exporter))
trace.set_tracer_provider(provider)

with trace.get_tracer("shop").start_as_current_span("chat gpt-5-mini") as span:
    span.set_attribute("gen_ai.operation.name", "chat")
    span.set_attribute("gen_ai.request.model", "gpt-5-mini")
    span.set_attribute("gen_ai.usage.input_tokens", 12)
provider.shutdown()`,
  },
  {
    id: "ai-sdk",
    name: "AI SDK",
    language: "javascript",
    code: (
      origin,
      wantsKey,
    ) => `// npm install @ai-sdk/otel @opentelemetry/sdk-trace-node @opentelemetry/exporter-trace-otlp-http
import { OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { registerTelemetry } from "ai";

const exporter = new OTLPTraceExporter({
  url: "${origin}/v1/traces",${wantsKey ? '\n  headers: { "X-API-Key": process.env.OBS_API_KEY },' : ""}
});
new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] }).register();
registerTelemetry(new OpenTelemetry()); // before version 7: experimental_telemetry: { isEnabled: true }`,
  },
  {
    id: "sdk",
    name: "Obspan SDK",
    language: "javascript",
    code: (origin, wantsKey) => `// npm install @obspan/sdk openai
import OpenAI from "openai";
import { configure } from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";

${wantsKey ? "// The key comes from OBS_API_KEY\n" : ""}configure({ service: "shop", pushUrl: "${origin}" });
const openai = wrapOpenAI(new OpenAI()); // every call becomes a span`,
  },
  {
    id: "curl",
    name: "curl",
    language: "shell",
    code: (origin, wantsKey) => `# A model call of 840 ms, which has just ended
curl ${origin}/v1/telemetry ${wantsKey ? '-H "X-API-Key: $OBS_API_KEY" ' : ""}\\
  -H 'Content-Type: application/json' -d @- <<END
{ "service": "shop", "spans": [{
    "trace_id": "hello-$(date +%s)",
    "name": "chat", "span_type": "llm", "duration_ms": 840,
    "attributes": { "model": "gpt-5-mini", "tokens_input": 12, "tokens_output": 9,
      "input_text": "Say hello", "output_text": "Hello from the shell" } }] }
END`,
  },
  {
    id: "node",
    name: "Node fetch",
    language: "javascript",
    code: (origin, wantsKey) => `// node hello.mjs: a model call of 840 ms, which has just ended
const span = {
  trace_id: crypto.randomUUID(),
  name: "chat", span_type: "llm", duration_ms: 840,
  attributes: { model: "gpt-5-mini", tokens_input: 12, tokens_output: 9,
    input_text: "Say hello", output_text: "Hello from Node" },
};
await fetch("${origin}/v1/telemetry", {
  method: "POST",
  headers: { "Content-Type": "application/json"${wantsKey ? ', "X-API-Key": process.env.OBS_API_KEY' : ""} },
  body: JSON.stringify({ service: "shop", spans: [span] }),
});`,
  },
  {
    id: "python",
    name: "Python urllib",
    language: "python",
    code: (origin, wantsKey) => `# A model call of 840 ms, which has just ended
import json, ${wantsKey ? "os, " : ""}urllib.request, uuid

span = {"trace_id": str(uuid.uuid4()),
        "name": "chat", "span_type": "llm", "duration_ms": 840,
        "attributes": {"model": "gpt-5-mini", "tokens_input": 12, "tokens_output": 9,
                       "input_text": "Say hello", "output_text": "Hello from Python"}}
urllib.request.urlopen(urllib.request.Request(
    "${origin}/v1/telemetry",
    data=json.dumps({"service": "shop", "spans": [span]}).encode(),
    headers={"Content-Type": "application/json"${wantsKey ? ', "X-API-Key": os.environ["OBS_API_KEY"]' : ""}}))`,
  },
];
