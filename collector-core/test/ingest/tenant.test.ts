import { request } from "node:http";
import { describe, expect, it } from "vitest";
import type { TraceDetail, TraceList } from "../../src/api-schema/trace.js";
import { errorOf, span, startCollector } from "../running-collector.js";

describe("spec 2.6 multi_tenant", () => {
  const MULTI_TENANT = { MULTI_TENANT_ENABLED: "true" };

  it("spec 4.7: every metric derived from spans has the label tenant", async () => {
    const { url, post, settled } = await startCollector(MULTI_TENANT);
    const call = span({ span_type: "llm", attributes: { model: "m", tokens_input: 5 } });
    await post({ spans: [call] }, { "X-Tenant-ID": "acme" });
    await settled();
    const text = await (await fetch(`${url}/metrics`)).text();
    const samples = text.split("\n").filter((line) => /^obs_(spans|duration|tokens|llm)[a-z_]*\{/.test(line));
    const ofSpans = samples.filter(
      (line) => !/^obs_spans_(received|accepted|processed|rejected|dropped)/.test(line),
    );
    expect(ofSpans.length).toBeGreaterThan(20);
    for (const line of ofSpans) expect(line).toContain('tenant="acme"');
    expect(text).toMatch(/^obs_queue_size \d/m);
  });

  it("has no tenant label if multi_tenant is off", async () => {
    const { url, post, settled, get } = await startCollector();
    await post({ spans: [span()] }, { "X-Tenant-ID": "acme" });
    await settled();
    expect(await (await fetch(`${url}/metrics`)).text()).not.toContain("tenant=");
    const { traces } = await get<TraceList>("/v1/traces");
    expect(traces[0]?.tenant).toBe("");
  });

  it("contract 4: maps a missing or empty header to the tenant `unknown`", async () => {
    const { post, settled, metric } = await startCollector(MULTI_TENANT);
    await post({ spans: [span()] });
    await post({ spans: [span()] }, { "X-Tenant-ID": "" });
    await settled();
    const labels = 'service="unknown",env="development",tenant="unknown",span_type="span",status="OK"';
    expect(await metric(`obs_spans_total{${labels}}`)).toBe(2);
  });

  it("spec 2.6 multi_tenant.header_name: reads another header, with a tenant in UTF-8", async () => {
    const { post, settled, get } = await startCollector({
      ...MULTI_TENANT,
      MULTI_TENANT_HEADER_NAME: "X-Customer",
    });
    const utf8 = Buffer.from("Zürich 🎿").toString("latin1");
    await post({ spans: [span({ trace_id: "a" })] }, { "X-Customer": utf8 });
    await post({ spans: [span({ trace_id: "b" })] }, { "X-Tenant-ID": "acme" });
    await settled();
    const { traces } = await get<TraceList>("/v1/traces");
    expect(traces.map(({ tenant }) => tenant)).toEqual(["unknown", "Zürich 🎿"]);
  });

  it.each(["X-API-Key", "authorization", "Proxy-Authorization", "cookie"])(
    "is not read from %s, whose credentials everybody could read in /metrics",
    async (name) => {
      const settings = { ...MULTI_TENANT, MULTI_TENANT_HEADER_NAME: name };
      await expect(startCollector(settings)).rejects.toThrow(
        `multi_tenant.header_name = ${name} (OBS_SERVER_MULTI_TENANT_HEADER_NAME): must be the name of an HTTP header other than`,
      );
    },
  );

  it.each([
    ["longer than 128 characters", "x".repeat(129), "The header X-Tenant-ID is longer than 128 characters."],
    ["with control characters", "a\tb", "The header X-Tenant-ID has control characters."],
  ])("contract 4: answers 400 invalid_tenant to a tenant %s", async (_what, tenant, message) => {
    const { post } = await startCollector(MULTI_TENANT);
    const answer = await errorOf(await post({ spans: [span()] }, { "X-Tenant-ID": tenant }));
    expect(answer).toMatchObject({ status: 400, code: "invalid_tenant", message });
  });

  it("accepts a tenant of 128 characters, with an emoji as one", async () => {
    const { post } = await startCollector(MULTI_TENANT);
    const tenant = Buffer.from("🎿".repeat(128)).toString("latin1");
    expect((await post({ spans: [span()] }, { "X-Tenant-ID": tenant })).status).toBe(202);
  });

  it("contract 4: answers 400 invalid_tenant for a repeated header", async () => {
    const { url } = await startCollector(MULTI_TENANT);
    const body = JSON.stringify({ spans: [span()] });
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = { "Content-Type": "application/json", "X-Tenant-ID": ["a", "b"] };
      const sent = request(`${url}/v1/telemetry`, { method: "POST", headers }, (response) => {
        let text = "";
        response.on("data", (chunk) => (text += String(chunk)));
        response.on("end", () => resolve({ status: response.statusCode, text }));
      });
      sent.on("error", reject);
      sent.end(body);
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("occurs 2 times");
  });

  it("contract 3: keeps equal trace ids of two tenants apart", async () => {
    const { url, post, settled, get } = await startCollector(MULTI_TENANT);
    for (const tenant of ["acme", "globex"]) {
      await post({ spans: [span({ name: `of ${tenant}`, span_id: "s" })] }, { "X-Tenant-ID": tenant });
      await settled();
    }
    const names = async (query: string): Promise<string[]> =>
      (await get<TraceDetail>(`/v1/traces/t1${query}`)).spans.map(({ name }) => name);
    expect(await names("?tenant=acme")).toEqual(["of acme"]);
    expect(await names("?tenant=globex")).toEqual(["of globex"]);
    expect(await get("/v1/traces/t1/spans/s?tenant=acme")).toMatchObject({ name: "of acme" });
    expect((await get<TraceList>("/v1/traces?tenant=acme")).traces).toHaveLength(1);
    expect(await get("/v1/facets")).toMatchObject({
      tenant: [
        { value: "acme", count: 1 },
        { value: "globex", count: 1 },
      ],
    });
    await fetch(`${url}/v1/traces/t1?tenant=acme`, { method: "DELETE" });
    expect((await get<TraceList>("/v1/traces")).traces.map(({ tenant }) => tenant)).toEqual(["globex"]);
  });

  it("contract 1: keeps equal batch ids of two tenants apart", async () => {
    const { post, settled, metric } = await startCollector(MULTI_TENANT);
    for (const tenant of ["acme", "globex", "acme"]) {
      await post({ batch_id: "b1", spans: [span()] }, { "X-Tenant-ID": tenant });
    }
    await settled();
    expect(await metric("obs_spans_accepted_total")).toBe(2);
    expect(await metric("obs_batches_duplicate_total")).toBe(1);
  });

  it("contract 4: counts tenants beyond limits.cardinality_tenant as `__other__`", async () => {
    const { post, settled, metric } = await startCollector({
      ...MULTI_TENANT,
      LIMITS_CARDINALITY_TENANT: "1",
    });
    for (const tenant of ["a", "b", "c"]) await post({ spans: [span()] }, { "X-Tenant-ID": tenant });
    await settled();
    expect(await metric('obs_label_overflow_total{label="tenant"}')).toBe(2);
  });
});
