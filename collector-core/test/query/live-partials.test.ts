import { describe, expect, it } from "vitest";
import type { PartialCompletionEvent } from "../../src/api-schema/live.js";
import type { TraceDetail, TraceList } from "../../src/api-schema/trace.js";
import { startOtlpReceiver } from "../export/otlp-receiver.js";
import { span, startCollector, type RunningCollector } from "../running-collector.js";
import { listen } from "./live-reader.js";

const running = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: "chat m",
  span_type: "llm",
  trace_id: "t1",
  span_id: "s1",
  status: "RUNNING",
  attributes: { model: "m", prompt_text: "hello" },
  ...fields,
});

const partial = (text: unknown, fields: Record<string, unknown> = {}): Record<string, unknown> =>
  running({ attributes: { completion_partial: text }, ...fields });

async function send(collector: RunningCollector, ...spans: Record<string, unknown>[]): Promise<void> {
  expect((await collector.post({ spans })).status).toBe(202);
  await collector.settled();
}

/** Reads the texts of a trace. */
async function readTexts(url: string, traceId = "t1", query: Record<string, string> = {}) {
  const reader = await listen(url, undefined, {}, { trace_id: traceId, ...query });
  return {
    texts: () =>
      reader.events
        .filter(({ event }) => event === "partial")
        .map(({ data }) => (data as PartialCompletionEvent).completion_partial),
    next: (text: string) =>
      reader.next<PartialCompletionEvent>("partial", ({ completion_partial: shown }) => shown === text),
  };
}

describe("GET /v1/live?trace_id=", () => {
  it("contract 1: sends the text of a running span while it grows, and no store keeps it", async () => {
    const collector = await startCollector();
    await send(collector, running());
    const reader = await readTexts(collector.url);
    await send(collector, partial("The capital "));
    await reader.next("The capital ");
    await send(collector, partial("The capital of France "));
    expect((await reader.next("The capital of France ")).data).toEqual({
      tenant: "",
      trace_id: "t1",
      span_id: "s1",
      completion_partial: "The capital of France ",
    });

    const { spans } = await collector.get<TraceDetail>("/v1/traces/t1?full=1");
    expect(spans).toMatchObject([{ status: "RUNNING", attributes: { model: "m", prompt_text: "hello" } }]);
    expect(spans[0]?.attributes).not.toHaveProperty("completion_partial");
    expect((await collector.get<TraceList>("/v1/traces?q=capital")).traces).toEqual([]);
    expect(await (await fetch(`${collector.url}/v1/export`)).text()).not.toContain("capital");
    expect(await (await fetch(`${collector.url}/v1/traces/t1`)).text()).not.toContain("capital");
  });

  it("sends a reader that connects or resumes the latest text only", async () => {
    const collector = await startCollector();
    await send(collector, running(), partial("a "));
    await send(collector, partial("a b "), partial("a b c "));
    const reader = await readTexts(collector.url);
    await reader.next("a b c ");
    expect(reader.texts()).toEqual(["a b c "]);
  });

  it("accepts a text in the same batch as the start, also before it", async () => {
    const collector = await startCollector();
    await send(collector, partial("first "), running());
    const reader = await readTexts(collector.url);
    await reader.next("first ");
  });

  it("drops the text at the end of the span, and every text that comes later or without a start", async () => {
    const collector = await startCollector();
    await send(collector, running(), partial("on its way "), partial("orphan ", { span_id: "s2" }));
    await send(collector, span({ span_id: "s1", status: "OK", attributes: { completion_text: "done" } }));
    await send(collector, partial("too late "));
    await send(collector, running({ span_id: "s3" }), partial("other ", { span_id: "s3" }));
    const reader = await readTexts(collector.url);
    await reader.next("other ");
    expect(reader.texts()).toEqual(["other "]);
    const { spans, trace } = await collector.get<TraceDetail>("/v1/traces/t1");
    expect(spans.map(({ span_id, status }) => `${span_id} ${status}`)).toEqual(["s1 OK", "s3 RUNNING"]);
    expect(trace.running).toBe(true);
  });

  it("drops the texts of a deleted trace, and does not bring the trace back", async () => {
    const collector = await startCollector();
    await send(collector, running(), partial("secret "));
    await send(collector, running({ trace_id: "t2" }), partial("kept ", { trace_id: "t2" }));
    expect((await fetch(`${collector.url}/v1/traces/t1`, { method: "DELETE" })).status).toBe(204);
    await send(collector, partial("secret too "));
    const [gone, kept] = [await readTexts(collector.url), await readTexts(collector.url, "t2")];
    await kept.next("kept ");
    expect(gone.texts()).toEqual([]);
    expect((await collector.get<TraceList>("/v1/traces")).traces.map(({ trace_id }) => trace_id)).toEqual([
      "t2",
    ]);
  });

  it("keeps the texts of tenants apart", async () => {
    const collector = await startCollector({ MULTI_TENANT_ENABLED: "true" });
    for (const tenant of ["a", "b"]) {
      await collector.post({ spans: [running(), partial(`of ${tenant} `)] }, { "X-Tenant-ID": tenant });
      await collector.settled();
    }
    // The end of one tenant's span is not that of the other's.
    await collector.post({ spans: [span({ span_id: "s1" })] }, { "X-Tenant-ID": "b" });
    await collector.post({ spans: [partial("nobody's ")] }, { "X-Tenant-ID": "c" });
    await collector.settled();
    const [a, b, all] = [
      await readTexts(collector.url, "t1", { tenant: "a" }),
      await readTexts(collector.url, "t1", { tenant: "b" }),
      await readTexts(collector.url),
    ];
    await all.next("of a ");
    await a.next("of a ");
    expect([a.texts(), b.texts(), all.texts()]).toEqual([["of a "], [], ["of a "]]);
  });

  it("counts a text in the pipeline's own families only, and neither exports nor evaluates it", async () => {
    const receiver = await startOtlpReceiver();
    const collector = await startCollector({
      EXPORTER_OTLP_ENDPOINT: receiver.url,
      EXPORTER_BATCH_SIZE: "1",
      REDACTION_ENABLED: "true",
    });
    const before = await (await fetch(`${collector.url}/metrics`)).text();
    const text = `mail me at jane@example.com or not ${"and more words ".repeat(20)}`;
    await send(collector, running(), partial(text));
    const reader = await readTexts(collector.url);
    const shown = `mail me at [EMAIL] or not ${"and more words ".repeat(20)}`.slice(0, -64);
    await reader.next(shown.slice(0, shown.lastIndexOf(" ") + 1));
    const after = await (await fetch(`${collector.url}/metrics`)).text();
    const samples = (exposition: string): string[] =>
      exposition
        .split("\n")
        .filter((line) => /^obs_(?!.*(queue|spans_|trace_store|http|sampling|in_flight))/.test(line));
    expect(samples(after)).toEqual(samples(before));
    await send(collector, span({ span_id: "s1", attributes: { completion_text: "done" } }));
    await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(1);
    const sent = JSON.stringify(receiver.requests, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(sent).not.toContain("completion_partial");
    const { received, accepted, processed } = collector.collector.ledger();
    expect([received, accepted, processed]).toEqual([3, 3, 3]);
  });

  it("redacts a text whole, although its parts would pass", async () => {
    const collector = await startCollector({ REDACTION_ENABLED: "true" });
    const rest = "and more words ".repeat(10);
    await send(collector, running());
    const reader = await readTexts(collector.url);
    const whole = `${rest}my card is 4111 1111 1111 1111 ${rest}`;
    for (let end = 1; end < whole.length; end += 10) await send(collector, partial(whole.slice(0, end)));
    await send(collector, partial(whole));
    await expect
      .poll(() => reader.texts().at(-1), { timeout: 10_000 })
      .toContain("my card is [CARD_NUMBER] and");
    expect(reader.texts().join()).not.toContain("4111");
  });

  it("shows nothing of a text that cannot be redacted", async () => {
    const pattern = JSON.stringify([{ pattern: "(a|b)*c", replacement: "x" }]);
    const collector = await startCollector({
      REDACTION_ENABLED: "true",
      REDACTION_DROP_ON_FAILURE: "false",
      REDACTION_CUSTOM_PATTERNS_JSON: pattern,
    });
    await send(collector, running(), partial(42), partial({ text: "x" }), partial(null), partial(""));
    await send(collector, running({ span_id: "s2" }), partial("fine words ".repeat(12), { span_id: "s2" }));
    const reader = await readTexts(collector.url);
    await expect.poll(() => reader.texts().length, { timeout: 10_000 }).toBe(1);
    expect(reader.texts()[0]).toMatch(/^fine words /);
  });

  it("bounds a text that is too long to its end", async () => {
    const collector = await startCollector();
    const text = Array.from({ length: 100_000 }, (_, index) => `wörd${index} `).join("");
    await send(collector, running(), partial(text));
    const reader = await readTexts(collector.url);
    await expect.poll(() => reader.texts().length, { timeout: 10_000 }).toBe(1);
    const [shown = ""] = reader.texts();
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(8192);
    expect(shown).toMatch(/^…wörd\d+ /);
    expect(text.endsWith(shown.slice(1))).toBe(true);
  });

  it("removes the text of a running span from an imported file", async () => {
    const collector = await startCollector();
    await send(collector, running());
    const file = await (await fetch(`${collector.url}/v1/export`)).text();
    const changed = file.replace(
      /"attributes":\[/,
      '"attributes":[{"key":"completion_partial","value":{"stringValue":"from a file "}},',
    );
    expect(changed).not.toBe(file);
    const other = await startCollector();
    await fetch(`${other.url}/v1/import`, {
      method: "POST",
      headers: { "Content-Type": "application/x-ndjson" },
      body: changed,
    });
    const { spans } = await other.get<TraceDetail>("/v1/traces/t1");
    expect(spans).toHaveLength(1);
    expect(spans[0]?.attributes).not.toHaveProperty("completion_partial");
  });

  it("does not send texts to readers of all traces", async () => {
    const collector = await startCollector();
    const all = await listen(collector.url);
    await send(collector, running(), partial("not here "));
    await all.next("trace");
    await all.next("status", () => true, all.events.length);
    expect(JSON.stringify(all.events)).not.toContain("not here");
  });
});
