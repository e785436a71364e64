import { describe, expect, it } from "vitest";
import type { TraceDetail } from "../../src/api-schema/trace.js";
import { errorOf, span, startCollector, type RunningCollector } from "../running-collector.js";

const SECRET = "Write to jane.roe@example.com, card 4111 1111 1111 1111.";

async function withTrace(settings: Record<string, string> = {}): Promise<RunningCollector> {
  const running = await startCollector(settings);
  await running.post({
    service: "shop",
    spans: [
      span({
        trace_id: "a/b",
        span_id: "root",
        name: "support.answer",
        attributes: { user_id: "jane.roe@example.com" },
      }),
      span({
        trace_id: "a/b",
        span_id: "call",
        parent_span_id: "root",
        span_type: "llm",
        attributes: { model: "small", prompt_text: SECRET, completion_text: "Done." },
        events: [{ name: "asked by jane.roe@example.com", attributes: { text: SECRET } }],
      }),
      span({
        trace_id: "a/b",
        span_id: "odd",
        parent_span_id: "root",
        name: "jane.roe@example.com",
        span_type: "for jane.roe@example.com",
        status: "sent to jane.roe@example.com",
      }),
    ],
  });
  await running.settled();
  return running;
}

const fileOf = ({ url }: RunningCollector, query: string): Promise<Response> =>
  fetch(`${url}/v1/traces/a%2Fb/export${query}`);

describe("contract 9 share: GET /v1/traces/{trace_id}/export", () => {
  it("writes lines that another collector imports without loss", async () => {
    const [from, to] = [await withTrace(), await startCollector()];
    const response = await fileOf(from, "");
    expect(response.headers.get("content-type")).toBe("application/jsonl; charset=utf-8");
    expect(response.headers.get("content-disposition")).toBe(
      'attachment; filename="obspan-trace-a_b.otlp.jsonl"',
    );
    const lines = await response.text();
    expect(lines).toBe(await (await fetch(`${from.url}/v1/export?trace_id=a%2Fb`)).text());
    const headers = { "Content-Type": "application/jsonl" };
    await fetch(`${to.url}/v1/import`, { method: "POST", headers, body: lines });
    const path = "/v1/traces/a%2Fb?full=1";
    expect(await to.get<TraceDetail>(path)).toEqual(await from.get<TraceDetail>(path));
  });

  it.each([
    ["markdown", "text/markdown; charset=utf-8", "md"],
    ["html", "text/html; charset=utf-8", "html"],
  ])(
    "writes %s, without what the built-in patterns know unless it is asked for",
    async (format, type, ending) => {
      const running = await withTrace();
      const response = await fileOf(running, `?format=${format}`);
      expect(response.headers.get("content-type")).toBe(type);
      expect(response.headers.get("content-disposition")).toBe(
        `attachment; filename="obspan-trace-a_b.${ending}"`,
      );
      expect(response.headers.get("cache-control")).toBe("no-store");
      const text = await response.text();
      expect(text).toContain("support.answer");
      expect(text).toContain("Done.");
      expect(text).not.toMatch(/jane|4111/);
      expect(text).toContain("Personal data and secrets that the built-in patterns know are replaced.");
      const raw = await (await fileOf(running, `?format=${format}&raw=true`)).text();
      expect(raw).toContain("jane.roe@example.com, card 4111 1111 1111 1111");
      expect(raw).toContain("personal data and secrets are not replaced");
      expect(await (await fileOf(running, `?format=${format}&raw=false`)).text()).toBe(text);
    },
  );

  it("cuts what is too long, leaves out what does not fit, and says so", async () => {
    const running = await startCollector({ TRACE_STORE_MAX_SPANS_PER_TRACE: "5000" });
    const post = (spans: unknown[]) => running.post({ service: "shop", spans });
    await post([
      span({ trace_id: "a/b", span_id: "long", attributes: { output_text: `${"x".repeat(70_000)}END` } }),
      span({ trace_id: "a/b", span_id: "huge", attributes: { list: ["y".repeat(3_000_000)], note: "kept" } }),
      span({ trace_id: "a/b", span_id: "event", events: [{ name: `${"z".repeat(70_000)}END`, time: 1 }] }),
    ]);
    for (let from = 0; from < 2100; from += 700)
      await post(
        Array.from({ length: 700 }, (_, n) =>
          span({ trace_id: "a/b", span_id: `s${from + n}`, name: "step" }),
        ),
      );
    await running.settled();
    for (const format of ["markdown", "html"]) {
      const text = await (await fileOf(running, `?format=${format}`)).text();
      expect(text).not.toMatch(/END|y{1000}/);
      expect(text).toContain("103 spans did not fit into this file.");
      expect(text).toContain("Long texts and lists of 3 spans are cut.");
      expect(text.length).toBeLessThan(5_000_000);
    }
  });

  it("shows spans with too many values without their lists and objects, and says so", async () => {
    const running = await startCollector();
    const spans = [
      span({
        trace_id: "a/b",
        span_id: "many",
        attributes: { list: Array(300_000).fill("many"), error_message: "It broke." },
      }),
      // Each is small.
      ...Array.from({ length: 30 }, (_, n) =>
        span({ trace_id: "a/b", span_id: `s${n}`, attributes: { list: Array(10_000).fill(7), kept: "yes" } }),
      ),
    ];
    await running.post({ spans });
    await running.settled();
    const file = await (await fileOf(running, "?format=html")).text();
    const [, json = ""] = /id="trace-data">([^<]*)</.exec(file) ?? [];
    const shown = JSON.parse(json) as Pick<TraceDetail, "spans">;
    const lists = shown.spans.map(({ attributes }) => attributes["list"]);
    expect(lists).toHaveLength(31);
    expect(lists[0]).toBeUndefined();
    expect(shown.spans[0]?.attributes["error_message"]).toBe("It broke.");
    expect(lists.filter(Array.isArray)).toHaveLength(24);
    expect(shown.spans.filter(({ attributes }) => attributes["kept"] === "yes")).toHaveLength(30);
    expect(file).toContain("Long texts and lists of 7 spans are cut.");

    const context = await fetch(`${running.url}/v1/traces/a%2Fb/context/many`);
    expect(await errorOf(context)).toMatchObject({ status: 400 });
  });

  it("shows no part of personal data that a cut would split", async () => {
    const running = await startCollector();
    const texts = [49_985, 49_990, 49_999].map(
      (length) => `${"a ".repeat(length / 2)} jane.roe@example.com ${SECRET.repeat(2000)}`,
    );
    await running.post({
      spans: texts.map((text, n) =>
        span({ trace_id: "a/b", span_id: `s${n}`, attributes: { output_text: text } }),
      ),
    });
    await running.settled();
    for (const format of ["markdown", "html"]) {
      const file = await (await fileOf(running, `?format=${format}`)).text();
      expect(file).toContain("Long texts and lists of 3 spans are cut.");
      expect(file).not.toMatch(/jane|roe@|4111/);
    }
  });

  it("refuses other formats, and traces that are not there", async () => {
    const running = await withTrace();
    for (const query of ["?format=pdf", "?raw=1", "?full=1", "?format="])
      expect(await errorOf(await fileOf(running, query)), query).toMatchObject({
        status: 400,
        code: "invalid_query",
      });
    for (const format of ["jsonl", "markdown", "html"]) {
      const missing = await fetch(`${running.url}/v1/traces/none/export?format=${format}`);
      expect(missing.headers.get("content-disposition")).toBeNull();
      expect(await errorOf(missing)).toMatchObject({ status: 404, code: "trace_not_found" });
    }
    const off = await startCollector({ TRACE_STORE_ENABLED: "false" });
    expect(await errorOf(await fileOf(off, "?format=html"))).toMatchObject({
      status: 404,
      code: "trace_store_disabled",
    });
    const locked = await startCollector({ AUTH_API_KEYS: "secret" });
    expect((await fileOf(locked, "?format=html")).status).toBe(401);
  });

  it("gives back the memory of a file that its reader leaves", async () => {
    const running = await withTrace();
    const texts = Array.from({ length: 100 }, (_, n) =>
      span({ trace_id: "a/b", span_id: `t${n}`, attributes: { output_text: "z".repeat(40_000) } }),
    );
    await running.post({ service: "shop", spans: texts });
    await running.settled();
    const leaving = new AbortController();
    const response = await fetch(`${running.url}/v1/traces/a%2Fb/export?format=html`, {
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    const held = 'obs_in_flight_bytes{kind="answers"}';
    await expect.poll(() => running.metric(held)).toBe(0);
    expect((await fileOf(running, "?format=html")).status).toBe(200);
  });
});
