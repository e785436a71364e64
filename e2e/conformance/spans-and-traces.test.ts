import { describe, expect } from "vitest";
import type { Answer } from "../harness/http-client.js";
import { sharedCollector } from "../harness/shared-collector.js";
import { batch, conversation, conversationWith, errorCode, span } from "./conversation.js";
import { rule } from "./rule.js";

/** For rules that no count of the metrics belongs to. */
const emptyCollector = sharedCollector();

/** Enough traces for a meaningful sampling rate. */
const manyTraces = (count: number) =>
  batch(...Array.from({ length: count }, (_, index) => span(`trace-${index}`)));

describe("the pipeline", () => {
  rule(
    "1 step 1",
    "checks the rate limit before the body, and answers an accepted batch with 202",
    async () => {
      const { post } = await conversation({ RATE_LIMIT_ENABLED: "true", RATE_LIMIT_PER_IP_RPM: "2" });
      expect((await post(batch(span("t")))).status).toBe(202);
      expect((await post("no JSON")).status).toBe(400);
      expect((await post("no JSON")).status).toBe(429);
    },
  );

  rule("1 step 2", "counts every span of a batch in the metrics", async () => {
    const { post, metrics } = await conversation();
    await post(batch(span("t"), span("t"), span("t", { span_type: "tool" })));
    expect((await metrics()).by("obs_spans_total", "span_type")).toMatchObject({ llm: 2, tool: 1 });
  });

  rule("1 step 3", "stores no trace that is not sampled", async () => {
    const { post, traceIds } = await conversation({ SAMPLING_RATE: "0" });
    await post(manyTraces(50));
    expect(await traceIds()).toEqual([]);
  });

  rule("1 step 4", "derives metrics from the span as received, and stores it redacted", async () => {
    const { post, metrics, spansOf } = await conversation({ REDACTION_ENABLED: "true" });
    await post(batch(span("t", { attributes: { agent: "support", prompt_text: "I am ann@example.com" } })));
    expect((await metrics()).value("obs_llm_calls_total", { agent: "support" })).toBe(1);
    const [stored] = await spansOf("t");
    expect(stored?.attributes["prompt_text"]).not.toContain("ann@example.com");
    expect(stored?.attributes["prompt_text"]).toMatch(/^I am /);
  });

  rule("1 step 5", "stores the same sampled traces that exemplars name", async () => {
    const { post, traceIds, collector } = await conversation({
      SAMPLING_RATE: "0.5",
      EXEMPLARS_ENABLED: "true",
    });
    await post(manyTraces(200));
    const stored = new Set(await traceIds());
    const response = await fetch(`${collector.url}/metrics`, {
      headers: { Accept: "application/openmetrics-text" },
    });
    const exemplars = [...(await response.text()).matchAll(/trace_id="([^"]+)"/g)].map(([, id]) => id ?? "");
    expect(stored.size).toBeGreaterThan(60);
    expect(stored.size).toBeLessThan(140);
    expect(exemplars.length).toBeGreaterThan(0);
    expect(exemplars.filter((id) => !stored.has(id))).toEqual([]);
  });
});

describe("batches and spans", () => {
  rule("2.1", "applies service, env and version to every span of the batch, and requires spans", async () => {
    const { post, metrics, get } = await conversation();
    expect((await post(batch(span("t")))).status).toBe(202);
    expect((await metrics()).value("obs_spans_total", { service: "shop", env: "test" })).toBe(1);
    expect(JSON.parse((await get("/v1/traces/t")).body)).toMatchObject({
      trace: { service: "shop", env: "test", version: "1.2.3" },
    });
    const refused = await post({ service: "shop" });
    expect([refused.status, errorCode(refused)]).toEqual([400, "missing_spans"]);
  });

  rule("2.2", "turns known attributes into labels and observations", async () => {
    const { post, metrics, spansOf } = await conversation();
    const attributes = {
      model: "gpt-5-mini",
      provider: "openai",
      agent: "support",
      tokens_input: 300,
      tokens_output: 40,
      prompt_text: "Where is my order?",
      completion_text: "On its way.",
      anything: { else: [1, null] },
    };
    await post(
      batch(span("t", { attributes }), span("t", { span_type: "tool", attributes: { tool_name: "find" } })),
    );
    const seen = await metrics();
    const labels = { model: "gpt-5-mini", provider: "openai", agent: "support" };
    expect(seen.value("obs_duration_seconds_sum", labels)).toBeCloseTo(0.1205);
    expect(seen.value("obs_tokens_input_sum", labels)).toBe(300);
    expect(seen.value("obs_tokens_output_sum", labels)).toBe(40);
    expect(seen.value("obs_tool_calls_total", { tool_name: "find" })).toBe(1);
    expect((await spansOf("t")).map((each) => each.attributes)).toContainEqual(attributes);
  });

  rule("2.2 rule 1", "drops excess attributes silently", async () => {
    const { post, spansOf } = await conversation({ LIMITS_MAX_SPAN_ATTRIBUTES: "3" });
    const attributes = { a: 1, b: 2, c: 3, d: 4, e: 5 };
    expect((await post(batch(span("t", { attributes })))).status).toBe(202);
    expect(Object.keys((await spansOf("t"))[0]?.attributes ?? {})).toHaveLength(3);
  });

  rule("2.3", "joins the spans of one trace_id across batches", async () => {
    const { post, spansOf, traceIds } = conversationWith(await emptyCollector());
    await post(batch(span("one", { name: "a" }), span("two", { name: "b" })));
    await post(batch(span("one", { name: "c" })));
    expect((await spansOf("one")).map(({ name }) => name).toSorted()).toEqual(["a", "c"]);
    expect([...(await traceIds())].toSorted()).toEqual(["one", "two"]);
  });
});

describe("the endpoints", () => {
  rule("4.1", "answers a batch with its number of spans, and 400 if the body is no batch", async () => {
    const { post } = conversationWith(await emptyCollector());
    const taken = await post(batch(span("t"), span("t")));
    expect(taken.status).toBe(202);
    expect(JSON.parse(taken.body)).toEqual({ status: "accepted", spans_received: 2 });
    expect((await post("{")).status).toBe(400);
    expect((await post({})).status).toBe(400);
  });

  rule("4.2", "answers with the metrics in the text format", async () => {
    const { get } = conversationWith(await emptyCollector());
    const { status, headers, body } = await get("/metrics");
    expect(status).toBe(200);
    expect(headers["content-type"]).toContain("text/plain; version=0.0.4");
    expect(body).toContain("# TYPE obs_spans_total counter");
  });

  rule("4.3", "lists traces, 20 by default, by service or by id", async () => {
    const { post, traceIds } = conversationWith(await emptyCollector());
    await post(manyTraces(30));
    await post({ ...batch(span("other")), service: "billing" });
    expect(await traceIds("")).toHaveLength(20);
    expect(await traceIds("limit=31")).toHaveLength(31);
    expect(await traceIds("service=billing")).toEqual(["other"]);
    expect(await traceIds("trace_id=trace-7")).toEqual(["trace-7"]);
  });

  rule("4.4", "answers with all spans of a trace, and 404 for an unknown trace", async () => {
    const { post, spansOf, get } = conversationWith(await emptyCollector());
    await post(batch(...Array.from({ length: 40 }, () => span("t"))));
    expect(await spansOf("t")).toHaveLength(40);
    const unknown = await get("/v1/traces/nobody");
    expect([unknown.status, errorCode(unknown)]).toEqual([404, "trace_not_found"]);
  });

  rule("4.4", "answers trace_store_disabled without a trace store", async () => {
    const { get } = await conversation({ TRACE_STORE_ENABLED: "false" });
    for (const path of ["/v1/traces", "/v1/traces/t"]) {
      const answer = await get(path);
      expect([answer.status, errorCode(answer)]).toEqual([404, "trace_store_disabled"]);
    }
  });

  rule("4.5", "answers with the status, the version and the uptime", async () => {
    const { get } = conversationWith(await emptyCollector());
    const { status, body } = await get("/health");
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ status: "ok" });
  });

  rule("4.6", "is ready while the queue has room, and reports its usage", async () => {
    const { get } = conversationWith(await emptyCollector());
    const { status, body } = await get("/ready");
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ status: "ready", queue_pct: 0 });
  });

  rule("7", "answers every error in one shape with a code", async () => {
    const { post, get } = conversationWith(await emptyCollector());
    const refusals: [Promise<Answer>, number, string][] = [
      [post("{"), 400, "invalid_json"],
      [post({ service: "shop" }), 400, "missing_spans"],
      [post({ spans: 1 }), 400, "invalid_spans"],
      [post(batch({ trace_id: "t" })), 400, "invalid_span"],
      [get("/v1/traces?limit=0"), 400, "invalid_limit"],
      [get("/v1/nothing"), 404, "not_found"],
    ];
    for (const [answer, status, code] of refusals) {
      const refused = await answer;
      expect(refused.status).toBe(status);
      expect(JSON.parse(refused.body)).toEqual({
        error: { code, message: expect.any(String), details: expect.any(Object) },
      });
    }
  });

  rule(
    "9",
    "uses the prefix /v1 for ingestion and queries, and no prefix for metrics and probes",
    async () => {
      const { get } = conversationWith(await emptyCollector());
      for (const path of ["/v1/traces", "/metrics", "/health", "/ready"])
        expect((await get(path)).status).toBe(200);
      for (const path of ["/telemetry", "/v1/health", "/v1/ready"])
        expect((await get(path)).status).toBe(404);
    },
  );
});

describe("the metrics", () => {
  rule("4.7", "count every span, sampled or not", async () => {
    const { post, metrics } = await conversation({ SAMPLING_RATE: "0" });
    await post(manyTraces(100));
    expect((await metrics()).value("obs_llm_calls_total")).toBe(100);
  });

  rule("4.7", "have the configured buckets", async () => {
    const { post, metrics } = await conversation({
      HISTOGRAMS_DURATION_BUCKETS: "0.1,0.2",
      HISTOGRAMS_TOKENS_BUCKETS: "100",
    });
    await post(batch(span("t", { attributes: { tokens_input: 300 } })));
    const seen = await metrics();
    expect(seen.by("obs_duration_seconds_bucket", "le")).toEqual({ "0.1": 0, "0.2": 1, "+Inf": 1 });
    expect(seen.by("obs_tokens_input_bucket", "le")).toEqual({ "100.0": 0, "+Inf": 1 });
  });

  rule("4.7", "replace values beyond a cap by __other__, and cut long ones", async () => {
    const { post, metrics } = await conversation({
      LIMITS_CARDINALITY_MODEL: "2",
      LIMITS_MAX_LABEL_VALUE_LENGTH: "5",
    });
    const models = ["first-model", "second", "third", "fourth"];
    await post(batch(...models.map((model) => span("t", { attributes: { model } }))));
    expect((await metrics()).by("obs_llm_calls_total", "model")).toEqual({
      first: 1,
      secon: 1,
      __other__: 2,
    });
  });

  rule("4.7", "have the two SRE gauges from the start, with the defaults", async () => {
    const { metrics } = await conversation({
      SRE_ENABLED: "true",
      SRE_AGENTS_JSON: '{"support":{"slo_error_rate":0.05},"billing":{"cost_budget_usd":20}}',
    });
    const seen = await metrics();
    expect(seen.by("obs_slo_error_rate", "agent")).toEqual({ support: 0.05, billing: 0.01 });
    expect(seen.by("obs_cost_budget_usd", "agent")).toEqual({ support: 0, billing: 20 });
  });

  rule("4.7", "label every span metric with the tenant in multi-tenant mode", async () => {
    const { post, metrics } = await conversation({ MULTI_TENANT_ENABLED: "true" });
    await post(batch(span("t", { attributes: { model: "m", tokens_input: 1 } })), { "X-Tenant-ID": "acme" });
    const { samples } = await metrics();
    const ofSpans = samples.filter(({ labels }) => "service" in labels);
    expect(ofSpans.length).toBeGreaterThan(4);
    expect(new Set(ofSpans.map(({ labels }) => labels["tenant"]))).toEqual(new Set(["acme"]));
  });

  rule("5", "require a key where keys are set, except for the probes and the metrics", async () => {
    const { post, get } = await conversation({ AUTH_API_KEYS: "k-one,k-two" });
    const refused = await post(batch(span("t")));
    expect([refused.status, errorCode(refused)]).toEqual([401, "unauthorized"]);
    expect((await post(batch(span("t")), { "X-API-Key": "k-three" })).status).toBe(401);
    expect((await post(batch(span("t")), { "X-API-Key": "k-two" })).status).toBe(202);
    for (const path of ["/metrics", "/health", "/ready"]) expect((await get(path)).status).toBe(200);
  });

  rule("5", "read the tenant from the configured header", async () => {
    const { post, metrics } = await conversation({
      MULTI_TENANT_ENABLED: "true",
      MULTI_TENANT_HEADER_NAME: "X-Customer",
    });
    await post(batch(span("t")), { "X-Customer": "acme", "X-Tenant-ID": "globex" });
    expect((await metrics()).by("obs_spans_total", "tenant")).toEqual({ acme: 1 });
  });
});

describe("the server", () => {
  rule(
    "4.9 rule 1",
    "keeps about the configured rate of traces, whole, and the same ones each time",
    async () => {
      const settings = { SAMPLING_RATE: "0.3" };
      const [first, second] = [await conversation(settings), await conversation(settings)];
      for (const { post } of [first, second]) {
        await post(manyTraces(1000));
        await post(manyTraces(1000));
      }
      const kept = await first.traceIds();
      expect(kept.length).toBeGreaterThan(230);
      expect(kept.length).toBeLessThan(370);
      expect([...(await second.traceIds())].toSorted()).toEqual([...kept].toSorted());
      expect(await first.spansOf(kept[0] ?? "")).toHaveLength(2);
      expect((await first.metrics()).value("obs_spans_total")).toBe(2000);
    },
  );

  rule("4.9 rule 2", "evicts the oldest traces first", async () => {
    const { post, traceIds } = await conversation({ LIMITS_MAX_TRACES: "3" });
    await post(batch(span("a"), span("b"), span("c")));
    await post(batch(span("a", { name: "later" }), span("d"), span("e")));
    expect([...(await traceIds())].toSorted()).toEqual(["c", "d", "e"]);
  });

  rule("4.9 rule 2", "drops the oldest spans of a trace", async () => {
    const { post, spansOf } = await conversation({ TRACE_STORE_MAX_SPANS_PER_TRACE: "2" });
    await post(batch(...["a", "b", "c"].map((name) => span("t", { name }))));
    expect((await spansOf("t")).map(({ name }) => name)).toEqual(["b", "c"]);
  });

  rule("4.9 rule 2", "removes an expired trace", async () => {
    const { post, metrics, get } = await conversation({ TRACE_STORE_TTL_SECONDS: "1" });
    await post(batch(span("t")));
    // Checked by its counter: on a busy machine the trace may expire before the first query.
    await expect
      .poll(async () => (await metrics()).by("obs_trace_store_evicted_total", "reason"), { timeout: 10_000 })
      .toMatchObject({ ttl: 1 });
    expect((await get("/v1/traces/t")).status).toBe(404);
  });

  rule(
    "4.9 rule 4",
    "replaces matches of the built-in patterns first, then of the custom ones in order",
    async () => {
      const { post, spansOf } = await conversation({
        REDACTION_ENABLED: "true",
        REDACTION_CUSTOM_PATTERNS_JSON: JSON.stringify([
          { pattern: "order \\d+", replacement: "<order>" },
          { pattern: "<order>", replacement: "<gone>" },
        ]),
      });
      const text = "ann@example.com asks for order 12";
      await post(
        batch(span("t", { attributes: { prompt_text: text, completion_text: "4111 1111 1111 1111" } })),
      );
      const [stored] = await spansOf("t");
      expect(stored?.attributes["prompt_text"]).toMatch(/^\S*EMAIL\S* asks for <gone>$/i);
      expect(stored?.attributes["completion_text"]).not.toMatch(/\d{4}/);
    },
  );

  rule("4.9 rule 4", "truncates text to max_text_length before redaction", async () => {
    const { post, spansOf } = await conversation({
      REDACTION_ENABLED: "true",
      REDACTION_MAX_TEXT_LENGTH: "1000",
    });
    await post(batch(span("t", { attributes: { prompt_text: "word ".repeat(500) } })));
    const [stored] = await spansOf("t");
    const length = String(stored?.attributes["prompt_text"]).length;
    expect(length).toBeLessThanOrEqual(1000);
    expect(length).toBeGreaterThan(740);
  });

  rule(
    "4.9 rule 7",
    "refuses a service over its rate with 429, queues nothing of it, and accepts another",
    async () => {
      const { post, metrics } = await conversation({
        RATE_LIMIT_ENABLED: "true",
        RATE_LIMIT_PER_SERVICE_RPM: "1",
      });
      expect((await post(batch(span("t")))).status).toBe(202);
      const refused = await post(batch(span("t")));
      expect([refused.status, errorCode(refused)]).toEqual([429, "rate_limited"]);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
      expect((await post({ ...batch(span("t")), service: "other" })).status).toBe(202);
      expect((await metrics()).value("obs_spans_accepted_total")).toBe(2);
    },
  );
});
