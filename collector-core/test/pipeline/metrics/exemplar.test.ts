import { describe, expect, it } from "vitest";
import { span, startCollector, type RunningCollector } from "../../running-collector.js";

const OPEN_METRICS = { Accept: "application/openmetrics-text; version=1.0.0" };

async function scrape(
  { url }: RunningCollector,
  headers: Record<string, string> = OPEN_METRICS,
): Promise<string[]> {
  return (await (await fetch(`${url}/metrics`, { headers })).text()).split("\n");
}

function call(traceId: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  const attributes = { model: "m", tokens_input: 120, tokens_output: 7 };
  return span({ trace_id: traceId, span_type: "llm", duration_ms: 300, attributes, ...fields });
}

describe("spec 2.6 exemplars.enabled", () => {
  it("spec 4.7: adds the trace_id to the bucket of a duration or token value", async () => {
    const collector = await startCollector({ EXEMPLARS_ENABLED: "true" });
    const beforeSeconds = Date.now() / 1000;
    await collector.post({ spans: [call("trace-1")] });
    await collector.settled();
    const found = (await scrape(collector)).filter((line) => line.includes(" # {"));
    expect(found).toHaveLength(3);
    for (const [family, le, value] of [
      ["obs_duration_seconds", "0.5", 0.3],
      ["obs_tokens_input", "250.0", 120],
      ["obs_tokens_output", "10.0", 7],
    ] as const) {
      const line = found.find((each) => each.startsWith(`${family}_bucket{le="${le}"`)) ?? "";
      const [, traceId, exemplarValue, timestamp] = / # \{trace_id="([^"]+)"\} (\S+) (\S+)$/.exec(line) ?? [];
      expect([traceId, Number(exemplarValue)]).toEqual(["trace-1", value]);
      expect(Number(timestamp)).toBeGreaterThanOrEqual(Math.floor(beforeSeconds));
    }
  });

  it("exposes the newest trace of a bucket", async () => {
    const collector = await startCollector({ EXEMPLARS_ENABLED: "true" });
    await collector.post({ spans: [call("old"), call("new")] });
    await collector.settled();
    const text = (await scrape(collector)).join("\n");
    expect(text).toContain('trace_id="new"');
    expect(text).not.toContain('trace_id="old"');
  });

  it("spec 4.9 rule 1: exposes no trace that is not sampled", async () => {
    const collector = await startCollector({ EXEMPLARS_ENABLED: "true", SAMPLING_RATE: "0" });
    await collector.post({ spans: [call("trace-1")] });
    await collector.settled();
    expect((await scrape(collector)).join("\n")).not.toContain(" # {");
    expect(
      await collector.metric(
        'obs_spans_total{service="unknown",env="development",span_type="llm",status="OK"}',
      ),
    ).toBe(1);
  });

  it("writes no exemplars in the text format, or when exemplars are off", async () => {
    const on = await startCollector({ EXEMPLARS_ENABLED: "true" });
    const off = await startCollector();
    for (const collector of [on, off]) {
      await collector.post({ spans: [call("trace-1")] });
      await collector.settled();
    }
    expect((await scrape(on, {})).join("\n")).not.toContain("trace_id=");
    expect((await scrape(off)).join("\n")).not.toContain("trace_id=");
  });

  it("omits a trace_id with control characters, which break the whole page for a scraper", async () => {
    const collector = await startCollector({ EXEMPLARS_ENABLED: "true" });
    const codes = [...Array.from({ length: 0x20 }, (_, code) => code), 0x7f, 0x85, 0x9b, 0xd800];
    const unreadable = codes.filter((code) => code !== 0x0a).map((code) => `x${String.fromCharCode(code)}y`);
    for (const traceId of unreadable) await collector.post({ spans: [call(traceId)] });
    await collector.settled();
    expect((await scrape(collector)).join("\n")).not.toContain(" # {");
    // 120 code points fit, regardless of the number of UTF-16 units.
    for (const readable of ["x\u2028y", "x\ufeffy", "\u{1f680}".repeat(120)]) {
      await collector.post({ spans: [call(readable)] });
      await collector.settled();
      expect((await scrape(collector)).join("\n")).toContain(`# {trace_id="${readable}"} 0.3 `);
    }
    await collector.post({ spans: [call("\u{1f680}".repeat(121))] });
    await collector.settled();
    expect((await scrape(collector)).join("\n")).not.toContain("\u{1f680}".repeat(121));
  });

  it("omits a trace_id that is too long, and escapes any other", async () => {
    const collector = await startCollector({ EXEMPLARS_ENABLED: "true" });
    await collector.post({ spans: [call("x".repeat(121))] });
    await collector.settled();
    expect((await scrape(collector)).join("\n")).not.toContain(" # {");
    await collector.post({ spans: [call('a"b\\c\nd')] });
    await collector.settled();
    expect((await scrape(collector)).join("\n")).toContain('# {trace_id="a\\"b\\\\c\\nd"} 0.3 ');
  });
});
