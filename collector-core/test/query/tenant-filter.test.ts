import { describe, expect, it } from "vitest";
import type { EvaluationList, EvaluationSummary } from "../../src/api-schema/evaluations.js";
import type { Stats } from "../../src/api-schema/stats.js";
import type { Facets, Histogram, TraceDetail, TraceList, TraceSummary } from "../../src/api-schema/trace.js";
import { judgedSpan, startJudgedCollector } from "../evaluation/judged-collector.js";
import { errorOf, span, startCollector, type RunningCollector } from "../running-collector.js";
import { listen } from "./live-reader.js";

const MULTI_TENANT = { MULTI_TENANT_ENABLED: "true" };
const JSON_BODY = { "Content-Type": "application/json" };

/** Two traces of acme, and one of globex that has the id of one of them. */
async function twoTenants(settings: Record<string, string> = {}): Promise<RunningCollector> {
  const running = await startCollector({ ...MULTI_TENANT, ...settings });
  await postSpans(running, "acme", ["shared", "own"]);
  await postSpans(running, "globex", ["shared"]);
  return running;
}

async function postSpans(
  { post, settled }: RunningCollector,
  tenant: string,
  traceIds: string[],
): Promise<void> {
  const spans = traceIds.flatMap((id) => [
    span({ trace_id: id, span_id: "s", name: `of ${tenant}` }),
    span({
      trace_id: id,
      span_id: "score",
      parent_span_id: "s",
      name: "evaluation.quality",
      span_type: "evaluation",
      attributes: { evaluation_type: "quality", evaluation_score: 0.5, evaluation_source: "user" },
    }),
  ]);
  await post({ spans }, { "X-Tenant-ID": tenant });
  await settled();
}

const ask = (running: RunningCollector, path: string, tenant?: string, init: RequestInit = {}) =>
  fetch(running.url + path, {
    ...init,
    headers: {
      ...(init.headers as Record<string, string> | undefined),
      ...(tenant === undefined ? {} : { "X-Tenant-ID": tenant }),
    },
  });
async function read<T>(running: RunningCollector, path: string, tenant?: string): Promise<T> {
  return (await (await ask(running, path, tenant)).json()) as T;
}
const idsOf = ({ traces }: TraceList): string[] =>
  traces.map(({ tenant, trace_id: id }) => `${tenant}/${id}`).sort();

describe("spec 2.6 multi_tenant: the tenant header selects the tenant of a query", () => {
  it("for lists, facets, the histogram and the export", async () => {
    const running = await twoTenants();
    expect(idsOf(await read(running, "/v1/traces"))).toEqual(["acme/own", "acme/shared", "globex/shared"]);
    expect(idsOf(await read(running, "/v1/traces", "acme"))).toEqual(["acme/own", "acme/shared"]);
    expect(idsOf(await read(running, "/v1/traces?trace_id=shared", "globex"))).toEqual(["globex/shared"]);
    expect((await read<Facets>(running, "/v1/facets", "globex")).total).toBe(1);
    expect((await read<Histogram>(running, "/v1/histogram", "acme")).total).toBe(2);
    const exported = await (await ask(running, "/v1/export", "globex")).text();
    expect(exported.trimEnd().split("\n")).toHaveLength(1);
    expect(exported).not.toContain("of acme");
  });

  it("for one trace and one span", async () => {
    const running = await twoTenants();
    const { trace } = await read<TraceDetail>(running, "/v1/traces/shared", "acme");
    expect(trace.root_name).toBe("of acme");
    expect(await read(running, "/v1/traces/shared/spans/s", "globex")).toMatchObject({ name: "of globex" });
    expect(await errorOf(await ask(running, "/v1/traces/shared/context/s"))).toMatchObject({
      code: "ambiguous_trace",
    });
    for (const format of ["jsonl", "markdown", "html"]) {
      const path = `/v1/traces/shared/export?format=${format}`;
      expect(await (await ask(running, path, "globex")).text(), format).not.toContain("of acme");
      expect(await errorOf(await ask(running, path))).toMatchObject({ status: 409, code: "ambiguous_trace" });
    }
    const missing = await errorOf(await ask(running, "/v1/traces/own", "globex"));
    expect(missing).toMatchObject({ status: 404, code: "trace_not_found" });
  });

  it("for evaluations, their summary and the statistics", async () => {
    const running = await twoTenants();
    expect((await read<EvaluationList>(running, "/v1/evaluations", "acme")).evaluations).toHaveLength(2);
    const summary = await read<EvaluationSummary>(running, "/v1/evaluations/summary", "globex");
    expect(summary.types.map(({ count }) => count)).toEqual([1]);
    const stats = await read<Stats>(running, "/v1/stats", "acme");
    expect(stats.total.window).toMatchObject({ spans: 4, scores: 2 });
  });

  it("unless an explicit parameter overrides it or the header is empty", async () => {
    const running = await twoTenants();
    expect(idsOf(await read(running, "/v1/traces?tenant=globex", "acme"))).toEqual(["globex/shared"]);
    expect(idsOf(await read(running, "/v1/traces", ""))).toHaveLength(3);
  });

  it("and is ignored while multi-tenancy is off", async () => {
    const running = await startCollector();
    await postSpans(running, "acme", ["own"]);
    expect(idsOf(await read(running, "/v1/traces", "nobody"))).toEqual(["/own"]);
  });

  it("and fails with 400 invalid_tenant when it is not a valid tenant", async () => {
    const running = await twoTenants();
    for (const path of ["/v1/traces", "/v1/traces/shared", "/v1/evaluations", "/v1/live"]) {
      const answer = await errorOf(await ask(running, path, "x".repeat(129)));
      expect(answer).toMatchObject({ status: 400, code: "invalid_tenant" });
    }
  });

  it("for the live feed", async () => {
    const running = await twoTenants();
    const byHeader = await listen(running.url, undefined, { "X-Tenant-ID": "acme" });
    const all = await listen(running.url);
    await byHeader.next("status");
    await postSpans(running, "globex", ["later"]);
    await postSpans(running, "acme", ["last"]);
    await byHeader.next<TraceSummary>("trace", ({ trace_id: id }) => id === "last");
    await byHeader.next("evaluation");
    await all.next<TraceSummary>("trace", ({ trace_id: id }) => id === "later");
    const tenants = byHeader.events
      .filter(({ event }) => event === "trace" || event === "evaluation")
      .map(({ data }) => (data as TraceSummary).tenant);
    expect(new Set(tenants)).toEqual(new Set(["acme"]));
  });

  it("is a parameter of every route that reads traces", async () => {
    const running = await twoTenants();
    interface Operation {
      readonly parameters?: readonly { readonly name: string }[];
    }
    const api = await read<{ paths: Record<string, Record<string, Operation>> }>(running, "/openapi.json");
    const asked = Object.entries(api.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method]) => method === "get" || method === "delete")
        .map(([method, operation]) => ({ path, method, operation })),
    );
    // What belongs to no trace: the collector itself, and saved views.
    const others =
      /^\/(health|ready|metrics|openapi\.json|v1\/(config|config\/check|events|prices|session|store|store\/backup|views|views\/\{id\}))$/;
    for (const { path, method, operation } of asked.filter(({ path }) => !others.test(path))) {
      const names = operation.parameters?.map(({ name }) => name) ?? [];
      expect({ path, method, hasTenant: names.includes("tenant") }).toEqual({
        path,
        method,
        hasTenant: true,
      });
    }
  });
});

describe("contract 3: an id that several tenants have", () => {
  it("gets 409 ambiguous_trace without a tenant, and nothing is deleted", async () => {
    const running = await twoTenants();
    for (const [path, method] of [
      ["/v1/traces/shared", "GET"],
      ["/v1/traces/shared/spans/s", "GET"],
      ["/v1/traces/shared", "DELETE"],
    ] as const) {
      const answer = await errorOf(await ask(running, path, undefined, { method }));
      expect(answer).toMatchObject({ status: 409, code: "ambiguous_trace" });
      expect(answer.details["tenants"]).toEqual(["globex", "acme"]);
    }
    expect(idsOf(await read(running, "/v1/traces"))).toHaveLength(3);
    const deleted = await ask(running, "/v1/traces/shared", "acme", { method: "DELETE" });
    expect(deleted.status).toBe(204);
    expect(idsOf(await read(running, "/v1/traces"))).toEqual(["acme/own", "globex/shared"]);
    expect((await ask(running, "/v1/traces/shared")).status).toBe(200);
  });

  it("lists at most 20 tenants", async () => {
    const running = await startCollector(MULTI_TENANT);
    for (let number = 0; number < 30; number++) await postSpans(running, `tenant-${number}`, ["shared"]);
    const answer = await errorOf(await ask(running, "/v1/traces/shared"));
    expect(answer.details).toMatchObject({ count: 30 });
    expect(answer.details["tenants"]).toHaveLength(20);
  });

  it("is not evaluated until the body or the header names a tenant", async () => {
    const running = await startJudgedCollector(MULTI_TENANT);
    for (const tenant of ["acme", "globex"])
      await running.post({ spans: [judgedSpan([])] }, { "X-Tenant-ID": tenant });
    await running.post({ spans: [judgedSpan([], { trace_id: "own" })] }, { "X-Tenant-ID": "acme" });
    await running.settled();
    const evaluate = (body: object, tenant?: string) =>
      ask(running, "/v1/evaluations", tenant, {
        method: "POST",
        headers: JSON_BODY,
        body: JSON.stringify({ types: ["relevance"], ...body }),
      });
    const spans = [{ trace_id: "t1", span_id: "s1" }];
    for (const body of [{ trace_ids: ["own", "t1"] }, { trace_ids: ["own"], spans }]) {
      expect(await errorOf(await evaluate(body))).toMatchObject({ status: 409, code: "ambiguous_trace" });
      expect(running.judge.calls).toHaveLength(0);
    }
    expect((await evaluate({ trace_ids: ["t1"] }, "acme")).status).toBe(202);
    expect((await evaluate({ spans, tenant: "globex" }, "acme")).status).toBe(202);
    await running.evaluated();
    const { evaluations } = await read<EvaluationList>(running, "/v1/evaluations");
    expect(evaluations.map(({ tenant }) => tenant).sort()).toEqual(["acme", "globex"]);
  });
});

describe("DELETE /v1/traces", () => {
  it("deletes the traces and evaluations of a given tenant", async () => {
    const running = await twoTenants();
    expect((await ask(running, "/v1/traces", "acme", { method: "DELETE" })).status).toBe(204);
    expect(idsOf(await read(running, "/v1/traces"))).toEqual(["globex/shared"]);
    expect((await read<EvaluationList>(running, "/v1/evaluations")).evaluations).toHaveLength(1);
    expect((await ask(running, "/v1/traces?tenant=globex", undefined, { method: "DELETE" })).status).toBe(
      204,
    );
    expect(idsOf(await read(running, "/v1/traces"))).toEqual([]);
  });

  it("rejects an unknown parameter and deletes nothing", async () => {
    const running = await twoTenants();
    const answer = await errorOf(
      await ask(running, "/v1/traces?service=unknown", undefined, { method: "DELETE" }),
    );
    expect(answer).toMatchObject({ status: 400, code: "invalid_query" });
    expect(idsOf(await read(running, "/v1/traces"))).toHaveLength(3);
  });
});
