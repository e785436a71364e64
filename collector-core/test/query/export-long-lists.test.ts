import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { TraceDetail } from "../../src/api-schema/trace.js";
import { span, startCollector } from "../running-collector.js";

interface WrittenSpan {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

function spansOf(lines: string): WrittenSpan[] {
  return lines
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const request = JSON.parse(line) as {
        resourceSpans: { scopeSpans: { spans: WrittenSpan[] }[] }[];
      };
      return request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    });
}

describe("a span with long lists", () => {
  it("is exported with its lists as JSON rather than one message per item, and imported unchanged", async () => {
    const attributes = {
      numbers: Array.from({ length: 300_000 }, (_, n) => n % 7),
      flags: new Array<boolean>(20_000).fill(true),
      words: new Array<string>(20_000).fill("w"),
      short: [1, 2, 3],
    };
    const events = [{ name: "e", attributes: { numbers: new Array<number>(20_000).fill(0.5) } }];
    const from = await startCollector();
    const body = gzipSync(JSON.stringify({ spans: [span({ trace_id: "long", attributes, events })] }));
    const sent = await fetch(`${from.url}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" },
      body,
    });
    expect(sent.status).toBe(202);
    await from.settled();

    const lines = await (await fetch(`${from.url}/v1/export`)).text();
    expect(lines.length).toBeLessThan(1_200_000);
    const written = spansOf(lines)[0]?.attributes.find(({ key }) => key === "numbers");
    expect(written?.value.stringValue).toBe(JSON.stringify(attributes.numbers));

    const to = await startCollector();
    const imported = await fetch(`${to.url}/v1/import`, {
      method: "POST",
      headers: { "Content-Type": "application/jsonl" },
      body: lines,
    });
    expect(await imported.json()).toMatchObject({ spans: 1, refused_lines: 0 });
    const read = async (collector: typeof from) =>
      (await collector.get<TraceDetail>("/v1/traces/long?full=1")).spans[0];
    const [before, after] = [await read(from), await read(to)];
    expect(after?.attributes).toEqual(before?.attributes);
    expect(after?.events).toEqual(before?.events);
  });

  it("gets a line of its own when it is large, whichever field makes it large", async () => {
    const collector = await startCollector();
    const attributes = { numbers: new Array<number>(50_000).fill(1) };
    const events = [{ name: "e", attributes }];
    await collector.post({
      spans: [
        span({ trace_id: "t", span_id: "1", attributes }),
        span({ trace_id: "t", span_id: "2", events }),
        span({ trace_id: "t", span_id: "3", attributes }),
      ],
    });
    await collector.settled();
    const lines = await (await fetch(`${collector.url}/v1/export`)).text();
    expect(lines.trimEnd().split("\n")).toHaveLength(3);
  });
});
