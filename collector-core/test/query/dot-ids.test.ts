import { describe, expect, it } from "vitest";
import type { NormalizedSpan, TraceDetail } from "../../src/api-schema/trace.js";
import { errorOf, span, startCollector } from "../running-collector.js";

const IDS = [".", "..", "...", "a/b?c#d%2e", "plain"];

async function withTraces() {
  const running = await startCollector();
  for (const id of IDS)
    await running.post({
      spans: [
        span({ trace_id: id, span_id: "..", name: `root of ${id}` }),
        span({ trace_id: id, span_id: ".", parent_span_id: "..", name: `step of ${id}` }),
      ],
    });
  await running.settled();
  return running;
}

const query = (parameters: Record<string, string>): string => new URLSearchParams(parameters).toString();

describe("contract 3: one trace and one span by query parameters, which can carry any id", () => {
  it.each(IDS)("reads and deletes the trace %s", async (id) => {
    const { url, get } = await withTraces();
    const { trace, spans } = await get<TraceDetail>(`/v1/trace?${query({ trace_id: id, full: "1" })}`);
    expect(trace.trace_id).toBe(id);
    expect(spans.map(({ span_id }) => span_id).sort()).toEqual([".", ".."]);
    for (const spanId of [".", ".."]) {
      const found = await get<NormalizedSpan>(`/v1/span?${query({ trace_id: id, span_id: spanId })}`);
      expect([found.trace_id, found.span_id]).toEqual([id, spanId]);
    }
    const file = await fetch(`${url}/v1/trace-export?${query({ trace_id: id, format: "markdown" })}`);
    expect(await file.text()).toContain("step of");
    const removal = await fetch(`${url}/v1/trace?${query({ trace_id: id })}`, { method: "DELETE" });
    expect(removal.status).toBe(204);
    const gone = await errorOf(await fetch(`${url}/v1/trace?${query({ trace_id: id })}`));
    expect(gone).toMatchObject({ status: 404, code: "trace_not_found" });
    const left = await get<{ traces: unknown[] }>("/v1/traces");
    expect(left.traces).toHaveLength(IDS.length - 1);
  });

  it("names the missing id and rejects unknown parameters", async () => {
    const { url } = await withTraces();
    for (const path of ["/v1/trace", "/v1/span?trace_id=plain", "/v1/trace?trace_id=plain&traceid=x"])
      expect(await errorOf(await fetch(url + path))).toMatchObject({ status: 400, code: "invalid_query" });
    const removal = await fetch(`${url}/v1/trace`, { method: "DELETE" });
    expect(await errorOf(removal)).toMatchObject({ status: 400, code: "invalid_query" });
  });

  it("has a query variant of every route with an id in its path", async () => {
    const { get } = await withTraces();
    interface Operation {
      readonly summary: string;
      readonly parameters?: readonly { readonly name: string; readonly in: string }[];
    }
    const { paths } = await get<{ paths: Record<string, Record<string, Operation>> }>("/openapi.json");
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    // A page gives a view its id, which has letters.
    const withPathIds = operations.filter(
      ({ path, method }) => path.includes("{") && method !== "head" && !path.startsWith("/v1/views/"),
    );
    expect(withPathIds.length).toBeGreaterThanOrEqual(3);
    for (const { path, method, summary } of withPathIds) {
      const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const twin = operations.find(
        (each) =>
          each.method === method &&
          each.summary === summary &&
          ids.every((id) => each.parameters?.some((one) => one.name === id && one.in === "query")),
      );
      expect({ path, method, twin: twin?.path }).toEqual({
        path,
        method,
        twin: expect.any(String) as string,
      });
    }
  });
});
