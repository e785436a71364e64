import { describe, expect, it } from "vitest";
import { collectGarbage } from "../pipeline/metrics/support.js";
import { startCollector, type RunningCollector } from "../running-collector.js";

const TEXT_BYTES = 350_000;
const REQUESTS = 3;
/** V8 retains the last text that a regular expression matched. The rest is for the rows of the spans. */
const MAX_KEPT_BYTES = 750_000;

/** Enables all features that may retain text. */
const SETTINGS = {
  RATE_LIMIT_ENABLED: "true",
  RATE_LIMIT_PER_IP_RPM: "100000",
  RATE_LIMIT_PER_SERVICE_RPM: "100000",
  MULTI_TENANT_ENABLED: "true",
  EXEMPLARS_ENABLED: "true",
  SRE_ENABLED: "true",
};

const LARGE = "@large@";
const SHORT = "@short@";

/** Texts from which a short part is kept. */
const SHAPES: Readonly<Record<string, string>> = {
  "a long text": `${SHORT}${LARGE}`,
  "a short text before a colon": `${SHORT}:${LARGE}`,
};

/** Returns JSON with replaced placeholders; the large one becomes `bytes` characters. */
function bodyOf(template: unknown, fill: string, request: number, bytes: number): Buffer {
  const text = JSON.stringify(template).replaceAll(SHORT, `a name of some length ${request}`);
  const parts = text.split(LARGE);
  return Buffer.concat(
    parts.flatMap((part, index) => [
      Buffer.from(part),
      index === parts.length - 1 ? Buffer.alloc(0) : Buffer.alloc(bytes, fill),
    ]),
  );
}

/**
 * Returns the memory of text: the heap and external strings. Buffers are excluded, because the trace store counts them.
 * The memory of the requests is released in the next turns of the event loop.
 */
async function textBytes(): Promise<number> {
  let least = Infinity;
  for (let look = 0; look < 3; look++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    collectGarbage();
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    least = Math.min(least, heapUsed + external - arrayBuffers);
  }
  return least;
}

async function send(
  { url, settled }: RunningCollector,
  path: string,
  template: unknown,
  fill: string,
  { requests = REQUESTS, bytes = TEXT_BYTES } = {},
): Promise<void> {
  for (let request = 0; request < requests; request++) {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Tenant-ID": `tenant-${request % 2}` },
      body: bodyOf(template, fill, request, bytes),
    });
    await response.arrayBuffer();
    expect(response.status).toBeLessThan(500);
  }
  await settled();
}

/** Returns the retained bytes by field after requests of each template; empty if they are within the limit. */
async function keptAfter(
  collector: RunningCollector,
  path: string,
  templates: readonly [field: string, template: unknown][],
  fill = "x",
): Promise<Record<string, number>> {
  // Short texts first, because the first request of each kind compiles code and fills caches.
  for (const [, template] of templates)
    await send(collector, path, template, fill, { requests: 2, bytes: 1000 });
  const before = await textBytes();
  for (const [, template] of templates) await send(collector, path, template, fill);
  if ((await textBytes()) - before <= MAX_KEPT_BYTES) return {};
  // Text is retained. Sends each field alone to find out which.
  const kept: Record<string, number> = {};
  for (const [field, template] of templates) {
    const beforeField = await textBytes();
    await send(collector, path, template, fill);
    const bytes = (await textBytes()) - beforeField;
    if (bytes > TEXT_BYTES / 2) kept[field] = bytes;
  }
  return kept;
}

/** Returns a batch of one span. */
function batch(fields: Record<string, unknown>, span: Record<string, unknown>): unknown {
  return { service: "shop", ...fields, spans: [{ name: "chat", trace_id: "t1", duration_ms: 1, ...span }] };
}
const attribute = (key: string, value: unknown, span: Record<string, unknown> = {}): unknown =>
  batch({}, { span_type: "llm", ...span, attributes: { [key]: value } });

const ATTRIBUTES = [
  "model",
  "provider",
  "tool_name",
  "agent",
  "error_type",
  "error_message",
  "session_id",
  "input_text",
  "prompt_text",
  "completion_text",
  "anything",
];
const EVALUATION_ATTRIBUTES = [
  "evaluation_type",
  "evaluation_label",
  "evaluation_explanation",
  "evaluation_comment",
  "evaluation_direction",
  "evaluation_outcome",
  "evaluation_source",
  "evaluated_span_id",
  "judge_model",
];

function templates(text: string): [string, unknown][] {
  return [
    ...["service", "env", "version", "batch_id", "anything"].map((field): [string, unknown] => [
      field,
      batch({ [field]: text }, {}),
    ]),
    ["service of a batch that is refused", { service: text, spans: "none" }],
    ...["name", "trace_id", "span_id", "parent_span_id", "span_type", "status", "start_time", "anything"].map(
      (field): [string, unknown] => [`spans[].${field}`, batch({}, { [field]: text })],
    ),
    ...ATTRIBUTES.map((key): [string, unknown] => [
      `attributes.${key}`,
      attribute(key, text, { status: "ERROR" }),
    ]),
    ["the key of an attribute", attribute(text, 1)],
    ["a message", attribute("prompt_messages", [{ role: text, parts: [{ type: "text", content: text }] }])],
    ["the name of an event", batch({}, { events: [{ name: text, attributes: { a: text } }] })],
    ...EVALUATION_ATTRIBUTES.map((key): [string, unknown] => [
      `attributes.${key} of an evaluation`,
      batch(
        {},
        {
          span_type: "evaluation",
          attributes: { evaluation_type: "@short@", evaluation_score: 0.5, [key]: text },
        },
      ),
    ]),
  ];
}

const value = (text: string): unknown => ({ stringValue: text });
function otlp(
  resource: Record<string, string>,
  span: Record<string, unknown>,
  scope: Record<string, string> = {},
): unknown {
  const { attributes = {}, ...fields } = span;
  const list = (of: object): unknown[] =>
    Object.entries(of).map(([key, text]) => ({ key, value: value(String(text)) }));
  return {
    resourceSpans: [
      {
        resource: { attributes: list({ "service.name": "shop", ...resource }) },
        scopeSpans: [
          {
            scope,
            spans: [
              {
                traceId: "0af7651916cd43dd8448eb211c80319c",
                spanId: "b7ad6b7169203331",
                name: "chat",
                startTimeUnixNano: "1700000000000000000",
                endTimeUnixNano: "1700000001000000000",
                ...fields,
                attributes: list(attributes as object),
              },
            ],
          },
        ],
      },
    ],
  };
}

function otlpTemplates(text: string): [string, unknown][] {
  const own = { "obspan.span_type": "llm" };
  return [
    ...["service.name", "service.version", "deployment.environment.name", "obspan.tenant", "anything"].map(
      (key): [string, unknown] => [`resource ${key}`, otlp({ [key]: text }, {})],
    ),
    ["scope", otlp({}, {}, { name: text, version: text })],
    ["traceState", otlp({}, { traceState: text })],
    ["status", otlp({}, { status: { code: 2, message: text } })],
    ["an event", otlp({}, { events: [{ name: text, attributes: [{ key: "a", value: value(text) }] }] })],
    ["a link", otlp({}, { links: [{ traceState: text, attributes: [{ key: "a", value: value(text) }] }] })],
    ...[
      "gen_ai.operation.name",
      "gen_ai.request.model",
      "gen_ai.response.model",
      "gen_ai.provider.name",
      "gen_ai.agent.name",
      "gen_ai.tool.name",
      "gen_ai.conversation.id",
      "gen_ai.input.messages",
      "error.type",
      "langfuse.environment",
      "langfuse.release",
      "genkit:name",
      "anything",
    ].map((key): [string, unknown] => [`span ${key}`, otlp({}, { attributes: { [key]: text } })]),
    ["the name of a span", otlp({}, { name: text })],
    [
      "the name of an agent's span",
      otlp({}, { name: text, attributes: { "gen_ai.operation.name": "invoke_agent" } }),
    ],
    [
      "the name of a tool's span",
      otlp({}, { name: text, attributes: { "gen_ai.operation.name": "execute_tool" } }),
    ],
    ...["name", "span_type", "status", "trace_id", "span_id", "parent_span_id", "anything"].map(
      (key): [string, unknown] => [
        `obspan.${key}`,
        otlp({}, { attributes: { ...own, [`obspan.${key}`]: text } }),
      ],
    ),
  ];
}

describe("reliability: a kept part of a text does not retain the whole text", { timeout: 120_000 }, () => {
  for (const [shape, text] of Object.entries(SHAPES)) {
    it(`POST /v1/telemetry: ${shape} in every field`, async () => {
      const collector = await startCollector(SETTINGS);
      expect(await keptAfter(collector, "/v1/telemetry", templates(text))).toEqual({});
    });

    it(`POST /v1/traces: ${shape} in every field`, async () => {
      const collector = await startCollector(SETTINGS);
      expect(await keptAfter(collector, "/v1/traces", otlpTemplates(text))).toEqual({});
    });
  }

  it("POST /v1/traces: names with surrounding white space or an operation", async () => {
    const collector = await startCollector(SETTINGS);
    const named = (name: string, operation: string): unknown =>
      otlp({}, { name, attributes: { "gen_ai.operation.name": operation } });
    const cases: [string, unknown][] = [
      ["provider", otlp({}, { attributes: { "gen_ai.provider.name": `${LARGE}${SHORT}` } })],
      ["agent", named(`invoke_agent ${LARGE}${SHORT}`, "invoke_agent")],
      ["tool", named(`execute_tool ${LARGE}${SHORT}`, "execute_tool")],
    ];
    expect(await keptAfter(collector, "/v1/traces", cases, " ")).toEqual({});
  });
});
