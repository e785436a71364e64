import { gzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import type { TraceDetail, TraceList } from "../../src/api-schema/trace.js";
import { StatusSchema } from "../../src/otlp/proto/google/rpc/status_pb.js";
import {
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
} from "../../src/otlp/proto/opentelemetry/proto/collector/trace/v1/trace_service_pb.js";
import { capturesIn, inputTokensOf, type Encoding } from "../otlp/captures.js";
import { otlpRequest, spanId, TRACE, type TestSpan } from "../otlp/otlp-request.js";
import { sharedCollector, startCollector, type RunningCollector } from "../running-collector.js";
import { FakeClock } from "../store/span-batches.js";

const JSON_TYPE = "application/json";
const PROTOBUF_TYPE = "application/x-protobuf";

function postTraces(
  { url }: RunningCollector,
  body: object | string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": JSON_TYPE, ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}

/** What a collector has counted since an earlier answer. */
async function countsOf(
  { url, collector }: RunningCollector,
  since: Readonly<Record<string, number>> = {},
): Promise<Record<string, number>> {
  const { received, accepted, processed } = collector.ledger();
  const lines = (await (await fetch(`${url}/metrics`)).text()).split("\n");
  /** Over all series of a metric family. */
  const total = (family: string): number =>
    lines
      .filter((line) => line.startsWith(`${family}{`) || line.startsWith(`${family} `))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  const counts = {
    received,
    accepted,
    processed,
    tokensInput: total("obs_tokens_input_sum"),
    tokensOutput: total("obs_tokens_output_sum"),
    errors: total("obs_errors_total"),
  };
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, count - (since[name] ?? 0)]),
  );
}

const call = (tokens: number): Record<string, unknown> => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "gpt-4o",
  "gen_ai.provider.name": "openai",
  "gen_ai.usage.input_tokens": tokens,
  "gen_ai.usage.output_tokens": 1,
});

describe.each([JSON_TYPE, PROTOBUF_TYPE] satisfies Encoding[])("POST /v1/traces as %s", (encoding) => {
  const whole = sharedCollector();
  const inParts = sharedCollector();

  it.each(capturesIn(encoding).map(({ capture, bodies }) => [capture.name, capture, bodies] as const))(
    "accepts %s and counts its traces, tokens and errors once",
    async (_name, capture, bodies) => {
      const { expected, observed_in_spans: observed } = capture;
      const collector = await whole();
      const since = await countsOf(collector);
      for (const body of bodies) {
        const answer = await postTraces(collector, gzipSync(body), {
          "Content-Type": encoding,
          "Content-Encoding": "gzip",
        });
        expect(answer.status).toBe(200);
        expect(answer.headers.get("content-type")).toBe(encoding);
        expect(await answer.text()).toBe(encoding === JSON_TYPE ? "{}" : "");
      }
      await collector.settled();

      const errors = expected.error_spans > 0 || capture.name.includes("error") ? 1 : 0;
      const isShownError = capture.name !== "openinference-openai-embedding-responses-error";
      expect(await countsOf(collector, since)).toEqual({
        received: expected.spans,
        accepted: expected.spans,
        processed: expected.spans,
        tokensInput: inputTokensOf(capture),
        tokensOutput: observed.tokens_output_leaf,
        errors: isShownError ? errors : 0,
      });
      const list = await collector.get<TraceList>("/v1/traces?limit=1000");
      const ids = new Set(expected.trace_ids);
      const traces = list.traces.filter((trace) => ids.has(trace.trace_id));
      expect(traces).toHaveLength(ids.size);
      const sum = (pick: (trace: TraceList["traces"][number]) => number) =>
        traces.reduce((added, trace) => added + pick(trace), 0);
      expect(sum((trace) => trace.span_count)).toBe(expected.spans);
      expect(sum((trace) => trace.tokens_input)).toBe(inputTokensOf(capture));
      expect(sum((trace) => trace.tokens_output)).toBe(observed.tokens_output_leaf);
      expect(sum((trace) => trace.error_count)).toBe(isShownError ? errors : 0);
    },
  );

  it.each(
    capturesIn(PROTOBUF_TYPE)
      .filter(({ capture }) => capture.spans.length > 2)
      .map(({ capture, bodies }) => [capture.name, capture, bodies] as const),
  )("accepts %s span by span, children first", async (_name, capture, bodies) => {
    const collector = await inParts();
    const since = await countsOf(collector);
    const requests = bodies.flatMap((body) => childrenFirst(body));
    for (const body of requests) {
      expect((await postTraces(collector, body, { "Content-Type": PROTOBUF_TYPE })).status).toBe(200);
    }
    await collector.settled();
    expect(await countsOf(collector, since)).toMatchObject({
      tokensInput: inputTokensOf(capture),
      errors: capture.expected.error_spans > 0 || capture.name.startsWith("langfuse-openai-stream") ? 1 : 0,
    });
  });
});

/** Returns a request for each span, the deepest first. */
function childrenFirst(body: Buffer): Uint8Array[] {
  const { resourceSpans } = fromBinary(ExportTraceServiceRequestSchema, body);
  const spans = resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans: ofScope }) => ofScope.map((span) => ({ resource, scope, span }))),
  );
  const hex = (id: Uint8Array): string => Buffer.from(id).toString("hex");
  const parents = new Map(spans.map(({ span }) => [hex(span.spanId), hex(span.parentSpanId)]));
  const depth = (id: string): number => (parents.has(id) ? 1 + depth(parents.get(id) ?? "") : 0);
  return spans
    .toSorted((a, b) => depth(hex(b.span.spanId)) - depth(hex(a.span.spanId)))
    .map(({ resource, scope, span }) =>
      toBinary(
        ExportTraceServiceRequestSchema,
        create(ExportTraceServiceRequestSchema, {
          resourceSpans: [
            {
              ...(resource === undefined ? {} : { resource }),
              scopeSpans: [{ ...(scope === undefined ? {} : { scope }), spans: [span] }],
            },
          ],
        }),
      ),
    );
}

describe("OTLP/HTTP requests", () => {
  it("contract 6: maps several resources to several services", async () => {
    const collector = await startCollector();
    const one = otlpRequest([{ id: "a", attributes: call(5) }], {
      resource: {
        "service.name": "shop",
        "service.version": "1.2",
        "deployment.environment.name": "staging",
      },
    }) as { resourceSpans: object[] };
    const two = otlpRequest([{ id: "b", parent: "a", attributes: call(7) }], {
      resource: { "service.name": "search", "deployment.environment": "production", "host.name": "h1" },
    }) as { resourceSpans: object[] };
    const answer = await postTraces(collector, {
      resourceSpans: [...one.resourceSpans, ...two.resourceSpans],
    });
    expect(answer.status).toBe(200);
    await collector.settled();
    const { spans } = await collector.get<TraceDetail>(`/v1/traces/${TRACE}`);
    expect(spans.map(({ service, env, version }) => [service, env, version]).toSorted()).toEqual([
      ["search", "production", null],
      ["shop", "staging", "1.2"],
    ]);
    // The outer call is a wrapper, even though it belongs to another service.
    expect(await countsOf(collector)).toMatchObject({ tokensInput: 7 });
  });

  it("contract 6: recognizes a parent as a wrapper for 10 minutes", async () => {
    const clock = new FakeClock();
    const collector = await startCollector({}, { clock });
    const post = async (span: TestSpan) =>
      expect((await postTraces(collector, otlpRequest([span]))).status).toBe(200);
    await post({ id: "inner1", parent: "outer1", attributes: call(5) });
    clock.advance(9 * 60_000);
    await post({ id: "outer1", attributes: call(5) });
    await post({ id: "inner2", parent: "outer2", trace: "a".repeat(32), attributes: call(7) });
    clock.advance(11 * 60_000);
    await post({ id: "outer2", trace: "a".repeat(32), attributes: call(7) });
    await collector.settled();
    expect(await countsOf(collector)).toMatchObject({ tokensInput: 5 + 7 + 7 });
  });

  it("contract 6: corrects the summary if a wrapper arrives before its child", async () => {
    const collector = await startCollector();
    await postTraces(collector, otlpRequest([{ id: "outer", attributes: call(5) }]));
    await postTraces(collector, otlpRequest([{ id: "inner", parent: "outer", attributes: call(5) }]));
    await collector.settled();
    const { trace } = await collector.get<TraceDetail>(`/v1/traces/${TRACE}`);
    expect(trace).toMatchObject({ tokens_input: 5, llm_calls: 1 });
    expect(await countsOf(collector)).toMatchObject({ tokensInput: 10 });
  });

  it("keeps nanoseconds, events and the attributes of resource and scope", async () => {
    const collector = await startCollector();
    await postTraces(
      collector,
      otlpRequest([{ id: "a", kind: 2, events: [{ name: "retry", attributes: { attempt: 2 } }] }], {
        resource: { "service.name": "shop", "host.name": "h1" },
      }),
    );
    await collector.settled();
    const { spans } = await collector.get<TraceDetail>(`/v1/traces/${TRACE}`);
    expect(spans[0]).toMatchObject({
      span_id: spanId("a"),
      start_time: "2025-11-21T03:15:03.384123456Z",
      duration_ms: 1000,
      events: [{ name: "retry", time: "2025-11-21T03:15:03.584123456Z", attributes: { attempt: 2 } }],
      attributes: { "otel.scope.name": "test", "span.kind": "server", resource: { "host.name": "h1" } },
    });
  });

  it("accepts an empty request and one without spans", async () => {
    const collector = await startCollector();
    expect((await postTraces(collector, {})).status).toBe(200);
    expect((await postTraces(collector, new Uint8Array(), { "Content-Type": PROTOBUF_TYPE })).status).toBe(
      200,
    );
    expect((await postTraces(collector, otlpRequest([]))).status).toBe(200);
    expect(collector.collector.ledger().received).toBe(0);
  });

  it("spec 4.7: assigns the tenant of the header to the spans", async () => {
    const collector = await startCollector({ MULTI_TENANT_ENABLED: "true" });
    await postTraces(collector, otlpRequest([{ id: "a" }]), { "X-Tenant-ID": "acme" });
    await collector.settled();
    const { traces } = await collector.get<TraceList>("/v1/traces");
    expect(traces.map(({ tenant }) => tenant)).toEqual(["acme"]);
  });
});

describe("OTLP/HTTP refusals", () => {
  const rpcStatus = async (answer: Response) => (await answer.json()) as { code: number; message: string };

  it("reports the number of spans without usable ids as a partial success", async () => {
    const collector = await startCollector();
    const request = otlpRequest([{ id: "a" }, { id: "b", trace: "0".repeat(32) }, { id: "c", trace: "xyz" }]);
    const answer = await postTraces(collector, request);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      partialSuccess: {
        rejectedSpans: "2",
        errorMessage: expect.stringMatching(/^invalid_span: 2 spans/) as string,
      },
    });
    expect(collector.collector.ledger()).toMatchObject({ received: 3, accepted: 1 });
    expect(await collector.metric('obs_spans_rejected_total{reason="invalid_span"}')).toBe(2);
  });

  it("reports a partial success in protobuf", async () => {
    const collector = await startCollector();
    const body = toBinary(
      ExportTraceServiceRequestSchema,
      create(ExportTraceServiceRequestSchema, {
        resourceSpans: [{ scopeSpans: [{ spans: [{ name: "a", traceId: new Uint8Array(16) }] }] }],
      }),
    );
    const answer = await postTraces(collector, body, { "Content-Type": PROTOBUF_TYPE });
    const { partialSuccess } = fromBinary(
      ExportTraceServiceResponseSchema,
      new Uint8Array(await answer.arrayBuffer()),
    );
    expect(partialSuccess?.rejectedSpans).toBe(1n);
  });

  it.each([
    ["a body that is not JSON", "{", {}, 400, "invalid_json"],
    ["JSON of another shape", '{"resourceSpans":{}}', {}, 400, "invalid_payload"],
    [
      "a Content-Type that OTLP does not define",
      "{}",
      { "Content-Type": "text/plain" },
      415,
      "unsupported_media_type",
    ],
    ["an unsupported encoding", "{}", { "Content-Encoding": "zstd" }, 415, "unsupported_encoding"],
    ["a body that is not gzip", "{}", { "Content-Encoding": "gzip" }, 400, "invalid_encoding"],
    [
      "a body that exceeds the limit after decompression",
      gzipSync("x".repeat(2000)),
      { "Content-Encoding": "gzip" },
      413,
      "body_too_large",
    ],
  ])("refuses %s", async (_what, body, headers, status, code) => {
    const collector = await startCollector({ LIMITS_MAX_BODY_BYTES: "1500" });
    const answer = await postTraces(collector, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe(JSON_TYPE);
    expect(await rpcStatus(answer)).toMatchObject({
      code: expect.any(Number) as number,
      message: expect.stringMatching(new RegExp(`^${code}: `)) as string,
    });
    expect(await collector.metric(`obs_http_requests_total{route="/v1/traces",status="${status}"}`)).toBe(1);
  });

  it("refuses invalid protobuf with a status in protobuf", async () => {
    const collector = await startCollector();
    const answer = await postTraces(collector, Buffer.from("not protobuf"), {
      "Content-Type": PROTOBUF_TYPE,
    });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toBe(PROTOBUF_TYPE);
    const status = fromBinary(StatusSchema, new Uint8Array(await answer.arrayBuffer()));
    expect(status).toMatchObject({ code: 3, message: expect.stringMatching(/^invalid_payload: /) as string });
  });

  it.each([
    ["text", "text"],
    ["__proto__", "x"],
  ])("refuses attributes nested deeper than the limit (%s)", async (key) => {
    const collector = await startCollector();
    let value: object = { stringValue: "deep" };
    for (let level = 0; level < 40; level++) value = { arrayValue: { values: [value] } };
    const request = otlpRequest([{ id: "a" }]) as {
      resourceSpans: { scopeSpans: { spans: { attributes: object[] }[] }[] }[];
    };
    request.resourceSpans[0]?.scopeSpans[0]?.spans[0]?.attributes.push({ key, value });
    const answer = await postTraces(collector, request);
    expect(answer.status).toBe(400);
    expect((await rpcStatus(answer)).message).toMatch(/^too_deep: /);
  });

  it("answers 401 without a key if keys are configured", async () => {
    const collector = await startCollector({ AUTH_API_KEYS: "k-0123456789abcdef" });
    const refused = await postTraces(collector, otlpRequest([{ id: "a" }]));
    expect(refused.status).toBe(401);
    expect(await rpcStatus(refused)).toMatchObject({ code: 16 });
    const taken = await postTraces(collector, otlpRequest([{ id: "a" }]), {
      Authorization: "Bearer k-0123456789abcdef",
    });
    expect(taken.status).toBe(200);
  });

  it("spec 4.9 rule 7: answers 429 with Retry-After over the limit of any service in a request", async () => {
    const collector = await startCollector({ RATE_LIMIT_ENABLED: "true", RATE_LIMIT_PER_SERVICE_RPM: "2" });
    const request = otlpRequest([{ id: "a" }]);
    expect((await postTraces(collector, request)).status).toBe(200);
    // Both routes share the limit of a service.
    expect((await collector.post({ service: "shop", spans: [] })).status).toBe(202);
    const refused = await postTraces(collector, request);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await rpcStatus(refused)).toMatchObject({ code: 8 });
    expect(await collector.metric('obs_spans_rejected_total{reason="rate_limited"}')).toBe(1);
  });

  it("spec 4.9 rule 7: answers 429 over the limit of an address", async () => {
    const collector = await startCollector({ RATE_LIMIT_ENABLED: "true", RATE_LIMIT_PER_IP_RPM: "1" });
    expect((await postTraces(collector, {})).status).toBe(200);
    expect((await postTraces(collector, {})).status).toBe(429);
  });

  it("answers 413 for more spans than the queue can hold", async () => {
    const collector = await startCollector({ LIMITS_MAX_QUEUE_SIZE: "2" });
    const answer = await postTraces(collector, otlpRequest([{ id: "a" }, { id: "b" }, { id: "c" }]));
    expect(answer.status).toBe(413);
    expect((await rpcStatus(answer)).message).toMatch(/^batch_too_large: /);
    expect(collector.collector.ledger()).toMatchObject({ received: 3, accepted: 0 });
  });

  it("refuses a page of another origin", async () => {
    const collector = await startCollector();
    const answer = await postTraces(collector, {}, { Origin: "https://evil.example" });
    expect(answer.status).toBe(403);
    expect(await rpcStatus(answer)).toMatchObject({ code: 7 });
  });

  it.each(["metrics", "logs"])(
    "POST /v1/%s: answers 404 and names the setting that disables the exporter",
    async (signal) => {
      const collector = await startCollector();
      const answer = await fetch(`${collector.url}/v1/${signal}`, {
        method: "POST",
        headers: { "Content-Type": PROTOBUF_TYPE },
        body: new Uint8Array(),
      });
      expect(answer.status).toBe(404);
      const status = fromBinary(StatusSchema, new Uint8Array(await answer.arrayBuffer()));
      expect(status.message).toContain(`OTEL_${signal.toUpperCase()}_EXPORTER=none`);
    },
  );

  it("keeps GET and DELETE of the same path and answers other methods with 405", async () => {
    const { url } = await startCollector();
    expect((await fetch(`${url}/v1/traces`)).status).toBe(200);
    const answer = await fetch(`${url}/v1/traces`, { method: "PUT" });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toContain("POST");
  });
});
