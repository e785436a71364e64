import { describe, expect, it } from "vitest";
import type { Facets, Histogram, TraceDetail, TraceList } from "../../src/api-schema/trace.js";
import { countTurns, everLater } from "../runtime/loop-turns.js";
import { errorOf, sharedCollector, span, startCollector } from "../running-collector.js";

async function withTraces(count: number, settings: Record<string, string> = {}) {
  const running = await startCollector(settings);
  for (let index = 0; index < count; index++) {
    await running.post({
      service: index % 2 === 0 ? "even" : "odd",
      spans: [span({ trace_id: `t${index}` })],
    });
  }
  await running.settled();
  return running;
}

const idsOf = ({ traces }: TraceList): string[] => traces.map(({ trace_id }) => trace_id);

describe("spec 4.3: GET /v1/traces", () => {
  const shared = sharedCollector();

  it("returns the newest traces first, 20 by default", async () => {
    const { get } = await withTraces(30);
    const list = await get<TraceList>("/v1/traces");
    expect(idsOf(list)).toEqual(Array.from({ length: 20 }, (_, index) => `t${29 - index}`));
  });

  it("looks up one trace by trace_id", async () => {
    const { get } = await withTraces(3);
    expect(idsOf(await get<TraceList>("/v1/traces?trace_id=t1"))).toEqual(["t1"]);
    expect(idsOf(await get<TraceList>("/v1/traces?trace_id=nope"))).toEqual([]);
  });

  it("filters by service across the store, not within a page", async () => {
    const { get } = await withTraces(50);
    const list = await get<TraceList>("/v1/traces?service=odd&limit=3");
    expect(idsOf(list)).toEqual(["t49", "t47", "t45"]);
  });

  it("filters by env, agent, model, status and text", async () => {
    const { get, post, settled } = await withTraces(5);
    await post({
      env: "prod",
      spans: [
        span({
          trace_id: "wanted",
          status: "ERROR",
          attributes: { agent: "support", model: "gpt-5-mini", prompt_text: "Where is my Paket?" },
        }),
      ],
    });
    await settled();
    for (const query of ["env=prod", "agent=support", "model=gpt-5-mini", "status=ERROR", "q=my%20paket"]) {
      expect(idsOf(await get<TraceList>(`/v1/traces?${query}`)), query).toEqual(["wanted"]);
    }
  });

  it("contract 3: accepts every filter and order in the URL", async () => {
    const { get, post, settled } = await withTraces(3);
    await post({
      spans: [
        span({
          trace_id: "wanted",
          name: "plan & go",
          span_type: "agent",
          duration_ms: 2000,
          start_time: "2026-01-01T00:00:00+01:00",
          attributes: { cost_usd: 0.5 },
        }),
        span({ trace_id: "wanted", span_type: "evaluation", attributes: { evaluation_type: "relevance" } }),
      ],
    });
    await settled();
    for (const query of [
      "span_type=agent",
      "root_name=plan%20%26%20go",
      "min_duration_ms=1999.5",
      "until=2026-01-01T00:00:00%2B01:00&since=0&has_evaluation=nothing",
      "since=2026-01-01T00:00:00%2B01:00&until=2026-01-01T00:00:00.001%2B01:00",
      "has_evaluation=true",
      "has_evaluation=relevance",
      "order=costliest&limit=1",
      "order=slowest&limit=1",
    ]) {
      const expected = query.includes("nothing") ? [] : ["wanted"];
      expect(idsOf(await get<TraceList>(`/v1/traces?${query}`)), query).toEqual(expected);
    }
    const histogram = await get<Histogram>("/v1/histogram?span_type=agent&buckets=10");
    expect(histogram).toMatchObject({ total: 1, buckets: [{ traces: 1, errors: 0 }] });
    expect(await get<Facets>("/v1/facets?has_evaluation=true")).toMatchObject({ total: 1, cost_usd: 0.5 });
  });

  it("continues from next_cursor, unaffected by new traces", async () => {
    const { get, post, settled } = await withTraces(5);
    const first = await get<TraceList>("/v1/traces?limit=2");
    await post({ spans: [span({ trace_id: "late" })] });
    await settled();
    const second = await get<TraceList>(`/v1/traces?limit=2&cursor=${first.next_cursor}`);
    const third = await get<TraceList>(`/v1/traces?limit=2&cursor=${second.next_cursor}`);
    expect([first, second, third].flatMap(idsOf)).toEqual(["t4", "t3", "t2", "t1", "t0"]);
    expect(third.next_cursor).toBeNull();
  });

  it("has no next_cursor on the last page", async () => {
    const { get } = await withTraces(4);
    expect((await get<TraceList>("/v1/traces?limit=4")).next_cursor).toBeNull();
    expect((await get<TraceList>("/v1/traces?service=odd&limit=2")).next_cursor).toBeNull();
    expect((await get<TraceList>("/v1/traces?trace_id=t3&limit=1")).next_cursor).toBeNull();
    expect((await get<TraceList>("/v1/traces?limit=3")).next_cursor).not.toBeNull();
  });

  it.each(["0", "1001", "20abc", "-1", "1.5", "", "NaN", "0x10", "1e1", "%2020"])(
    "400 invalid_limit for limit=%s",
    async (limit) => {
      const { url } = await shared();
      expect(await errorOf(await fetch(`${url}/v1/traces?limit=${limit}`))).toMatchObject({
        status: 400,
        code: "invalid_limit",
        message: expect.stringMatching(/^limit must be a whole number from 1 to 1000, not .+\.$/),
      });
    },
  );

  it.each([
    "cursor=nonsense",
    "sevrice=shop",
    "service=a&service=b",
    "q=",
    "order=fastest",
    "min_duration_ms=-1",
    "min_duration_ms=long",
    "min_duration_ms=0x10",
    "min_duration_ms=",
    "min_duration_ms=%2010",
    "min_duration_ms=1e999",
    "min_duration_ms=1&min_duration_ms=2",
    "since=yesterday",
    "until=2026-01-01",
    "has_evaluation=",
    "buckets=5",
  ])("400 invalid_query for %s", async (query) => {
    const { url } = await shared();
    expect(await errorOf(await fetch(`${url}/v1/traces?${query}`))).toMatchObject({
      status: 400,
      code: "invalid_query",
    });
  });

  it.each([
    ["order=foo", 'order must be newest, start, slowest or costliest, not "foo"'],
    ["min_duration_ms=-1", "min_duration_ms must be a number from 0 to 1000000000000, not -1"],
    ["min_duration_ms=0x10", 'min_duration_ms must be a number from 0 to 1000000000000, not "0x10"'],
  ])("says of %s what was wrong, with the value and what it may be (contract 2)", async (query, sentence) => {
    const { url } = await shared();
    const response = await fetch(`${url}/v1/traces?${query}`);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toBe(`Invalid query: ${sentence}.`);
  });

  it("accepts a number in JSON notation", async () => {
    const { get } = await withTraces(1);
    for (const ms of ["0", "0.5", "1e-3", "5E+0"])
      expect(idsOf(await get<TraceList>(`/v1/traces?min_duration_ms=${encodeURIComponent(ms)}`))).toEqual([
        "t0",
      ]);
  });

  it.each([
    "/v1/histogram?buckets=",
    "/v1/stats?groups=",
    "/v1/evaluations?limit=",
    "/v1/evaluations?min_score=",
  ])("400 for a number in another writing, in %s", async (path) => {
    const { url } = await shared();
    for (const text of ["0x1", "", "%201", "1,0", "Infinity"])
      expect((await fetch(url + path + text)).status, text).toBe(400);
    expect((await fetch(`${url}${path}1`)).status).toBe(200);
  });

  it("explains each invalid query, for first and later requests alike", async () => {
    const { url } = await shared();
    const ask = async (query: string) => (await errorOf(await fetch(`${url}/v1/traces?${query}`))).message;
    const first = await Promise.all(["order=fastest", "sevrice=shop", "limit=0"].map(ask));
    expect(first).toEqual([
      expect.stringContaining("order "),
      expect.stringContaining('"sevrice"'),
      expect.stringContaining("limit must be"),
    ]);
    expect(await Promise.all(["order=fastest", "sevrice=shop", "limit=0"].map(ask))).toEqual(first);
  });
});

describe("spec 4.4: GET /v1/traces/{trace_id}", () => {
  it("returns the first spans by start, and the number of all, if max_spans is given", async () => {
    const { get, post, settled } = await startCollector();
    const startMs = Date.now();
    const ids = Array.from({ length: 300 }, (_, index) => `s${index}`);
    const spans = ids.map((id, index) => span({ trace_id: "t", span_id: id, start_time: startMs + index }));
    await post({ service: "s", spans: spans.toReversed() });
    await settled();
    for (const [max, count] of [
      [1, 1],
      [299, 299],
      [1000, 300],
    ] as const) {
      const { trace, spans: answered } = await get<TraceDetail>(`/v1/traces/t?max_spans=${max}`);
      expect(answered.map(({ span_id: id }) => id)).toEqual(ids.slice(0, count));
      expect(trace.span_count).toBe(300);
    }
    const byQuery = await get<TraceDetail>("/v1/trace?trace_id=t&max_spans=2");
    expect(byQuery.spans).toHaveLength(2);
  });

  it.each([
    ["small", 1],
    ["large", 60],
  ])("shortens shorter texts of %s spans after max_bytes", async (_size, count) => {
    const { get, post, settled } = await startCollector();
    const text = "é".repeat(1000);
    const attributes = Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, text]));
    const spans = [1, 2, 3].map((at) =>
      span({ trace_id: "t", span_id: `s${at}`, start_time: at, attributes }),
    );
    await post({ spans });
    await settled();
    const { spans: all } = await get<TraceDetail>("/v1/traces/t?max_bytes=1000");
    expect(all.map((each) => each.attributes["a0"])).toEqual([
      text,
      ...[2, 3].map(() => ({ truncated: true, bytes: 2000, preview: "é".repeat(100) })),
    ]);
    const { spans: full } = await get<TraceDetail>("/v1/traces/t?max_bytes=1000&full=1");
    expect(full.map((each) => each.attributes["a0"])).toEqual([text, text, text]);
  });

  it("returns all spans of the trace by start time, ties by arrival", async () => {
    const { get, post, settled } = await startCollector();
    await post({
      spans: [
        span({ span_id: "c", start_time: 3000, parent_span_id: "a" }),
        span({ span_id: "a", start_time: 1000 }),
        span({ span_id: "b1", start_time: 2000, parent_span_id: "a" }),
        span({ span_id: "b2", start_time: 2000, parent_span_id: "a" }),
      ],
    });
    await settled();
    const { trace, spans } = await get<TraceDetail>("/v1/traces/t1");
    expect(spans.map(({ span_id }) => span_id)).toEqual(["a", "b1", "b2", "c"]);
    expect(trace).toMatchObject({ trace_id: "t1", span_count: 4, start_time: "1970-01-01T00:00:01.000Z" });
  });

  it("404 trace_not_found for an unknown trace or span", async () => {
    const { url } = await withTraces(1);
    for (const path of ["/v1/traces/nope", "/v1/traces/nope/spans/s", "/v1/traces/t0/spans/nope"]) {
      expect(await errorOf(await fetch(url + path)), path).toMatchObject({
        status: 404,
        code: "trace_not_found",
      });
    }
    const removed = await fetch(`${url}/v1/traces/nope`, { method: "DELETE" });
    expect(await errorOf(removed)).toMatchObject({ status: 404, code: "trace_not_found" });
  });

  it("returns texts over 4 KiB as previews, and in full with full=1 and for one span (contract 3)", async () => {
    const { get, post, settled } = await startCollector();
    const long = "ü".repeat(2049);
    const attributes = { prompt_text: long, short: "ü".repeat(2048), deep: [{ text: long }] };
    await post({ spans: [span({ span_id: "s", attributes })] });
    await settled();
    const { spans } = await get<TraceDetail>("/v1/traces/t1");
    const shortened = { truncated: true, bytes: 4098, preview: "ü".repeat(400) };
    expect(spans[0]?.attributes).toEqual({
      ...attributes,
      prompt_text: shortened,
      deep: [{ text: shortened }],
    });
    expect((await get<TraceDetail>("/v1/traces/t1?full=1")).spans[0]?.attributes).toEqual(attributes);
    expect(await get("/v1/traces/t1/spans/s")).toMatchObject({ attributes });
  });

  it("yields to the event loop while it writes a long trace", async () => {
    const { url, post, settled } = await startCollector({}, { clock: everLater() });
    const spans = Array.from({ length: 400 }, (_, index) => span({ trace_id: "long", span_id: `s${index}` }));
    await post({ spans });
    await settled();
    await (await fetch(`${url}/v1/traces/long`)).text();
    const turns = countTurns();
    const { spans: answered } = (await (await fetch(`${url}/v1/traces/long`)).json()) as TraceDetail;
    expect(answered).toHaveLength(400);
    expect(turns.end()).toBeGreaterThanOrEqual(400);
  });

  it("finds ids of 128 arbitrary characters", async () => {
    const { get, post, settled } = await startCollector();
    for (const id of ["a/b?c#d%e", "😀".repeat(64), "x\ny"]) {
      await post({ spans: [span({ trace_id: id, span_id: "s/1" })] });
      await settled();
      const path = encodeURIComponent(id);
      expect(await get(`/v1/traces/${path}`), id).toMatchObject({ trace: { trace_id: id } });
      expect(await get(`/v1/traces/${path}/spans/s%2F1`)).toMatchObject({ trace_id: id, span_id: "s/1" });
    }
  });
});

describe("contract 3: DELETE /v1/traces", () => {
  it("responds 204 and deletes one trace", async () => {
    const { url, get } = await withTraces(3);
    const response = await fetch(`${url}/v1/traces/t1`, { method: "DELETE" });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(idsOf(await get<TraceList>("/v1/traces"))).toEqual(["t2", "t0"]);
  });

  it("responds 204, clears the store and counts the traces as cleared", async () => {
    const { url, get, metric } = await withTraces(3);
    expect((await fetch(`${url}/v1/traces`, { method: "DELETE" })).status).toBe(204);
    expect(idsOf(await get<TraceList>("/v1/traces"))).toEqual([]);
    expect(await metric('obs_trace_store_evicted_total{reason="cleared"}')).toBe(3);
    expect(await metric("obs_trace_store_traces")).toBe(0);
  });
});

describe("contract 3: GET /v1/facets", () => {
  it("counts the traces that match a filter", async () => {
    const { get } = await withTraces(5);
    expect(await get("/v1/facets")).toMatchObject({
      total: 5,
      service: [
        { value: "even", count: 3 },
        { value: "odd", count: 2 },
      ],
    });
    expect(await get("/v1/facets?service=odd")).toMatchObject({
      total: 2,
      service: [{ value: "odd", count: 2 }],
    });
  });

  it("yields to the event loop while it counts thousands of names", async () => {
    const { get, post, settled } = await startCollector({}, { clock: everLater() });
    const spans = Array.from({ length: 3000 }, (_, index) =>
      span({ trace_id: `t${index}`, attributes: { agent: `agent ${index}` } }),
    );
    await post({ spans });
    await settled();
    await get("/v1/facets?service=nobody");
    const turns = countTurns();
    const { agent } = await get<Facets>("/v1/facets");
    expect(agent).toHaveLength(200);
    // Going through the traces are some ninety.
    expect(turns.end()).toBeGreaterThan(300);
  });
});

describe("many concurrent queries", () => {
  it("each get a full response, even when other clients disconnect", async () => {
    const { url, get, post, settled } = await startCollector({}, { clock: everLater() });
    const spans = Array.from({ length: 200 }, (_, index) => span({ trace_id: `t${index}` }));
    await post({ service: "many", spans });
    await settled();
    const alone = await get<Facets>("/v1/facets");
    const leave = new AbortController();
    const leaving = Array.from({ length: 20 }, () => fetch(`${url}/v1/facets`, { signal: leave.signal }));
    const staying = Array.from({ length: 20 }, () => get<Facets>("/v1/facets"));
    const lists = Array.from({ length: 20 }, () => get<TraceList>("/v1/traces?limit=1000&order=slowest"));
    leave.abort();
    await Promise.allSettled(leaving);
    for (const facets of await Promise.all(staying)) expect(facets).toEqual(alone);
    for (const { traces } of await Promise.all(lists)) expect(traces).toHaveLength(200);
  });
});

describe("contract 2: trace_store.enabled false", () => {
  it("responds 404 trace_store_disabled to every query, while ingestion and metrics continue", async () => {
    const { url, metric } = await withTraces(2, { TRACE_STORE_ENABLED: "false" });
    for (const path of ["/v1/traces", "/v1/traces/t1", "/v1/traces/t1/spans/s", "/v1/facets"]) {
      expect(await errorOf(await fetch(url + path)), path).toMatchObject({
        status: 404,
        code: "trace_store_disabled",
      });
    }
    for (const path of ["/v1/traces", "/v1/traces/t1"]) {
      const response = await fetch(url + path, { method: "DELETE" });
      expect(await errorOf(response), path).toMatchObject({ status: 404, code: "trace_store_disabled" });
    }
    expect(await metric("obs_spans_processed_total")).toBe(2);
  });
});

describe("spec 4.9 rule 1: sampling", () => {
  it("stores no trace at rate 0 and counts every span in the metrics", async () => {
    const { get, metric } = await withTraces(20, { SAMPLING_RATE: "0" });
    expect(idsOf(await get<TraceList>("/v1/traces"))).toEqual([]);
    expect(
      await metric('obs_spans_total{service="even",env="development",span_type="span",status="OK"}'),
    ).toBe(10);
  });

  it("stores whole traces, about as many as the rate, and always the same ones", async () => {
    const kept: string[][] = [];
    for (let run = 0; run < 2; run++) {
      const { get, post, settled } = await startCollector({ SAMPLING_RATE: "0.5" });
      for (let part = 0; part < 2; part++) {
        await post({
          spans: Array.from({ length: 400 }, (_, index) => span({ trace_id: `trace-${index}` })),
        });
      }
      await settled();
      const { traces } = await get<TraceList>("/v1/traces?limit=1000");
      expect(traces.every(({ span_count }) => span_count === 2)).toBe(true);
      kept.push(traces.map(({ trace_id }) => trace_id).toSorted());
    }
    expect(kept[0]?.length).toBeGreaterThan(150);
    expect(kept[0]?.length).toBeLessThan(250);
    expect(kept[1]).toEqual(kept[0]);
  });
});
