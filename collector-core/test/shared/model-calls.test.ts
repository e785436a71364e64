import type { Span } from "@obspan/sdk/wire";
import { describe, expect, it } from "vitest";
import { hashesOf } from "../../src/hashing/span-hashes.js";
import { createLinkMemories, createLinksOf } from "../../src/ingest/link-memory.js";
import type { MarkKind, SpanMark } from "../../src/interfaces.js";
import type { LinkMemory } from "../../src/otlp/request-links.js";
import { createLeafUsage, createSharedLeafUsage } from "../../src/pipeline/leaf-usage.js";
import { runWaiting } from "../../src/runtime/steps.js";
import { createSharedMarks, type SharedMarksOptions } from "../../src/shared/shared-marks.js";
import { readSpanFacts } from "../../src/span/span-facts.js";
import { startCollector } from "../running-collector.js";
import { redisOfFile, shareThrough, until } from "./redis-of-file.js";

const file = redisOfFile();
const clock = { monotonic: () => 0 };
const context = { tenant: "t", service: "s", env: "e", version: undefined, receivedAtMs: 0 };

async function marksOf(options: Partial<SharedMarksOptions> = {}) {
  const { redis } = await shareThrough(file.server);
  return { redis, marks: createSharedMarks({ redis, ...options }) };
}

function mark(spanId: string, kind: MarkKind = "llm", tenant = "t"): SpanMark {
  return { kind, tenant, traceId: "trace", spanId };
}

describe("marks of spans that collectors share", () => {
  it("contract 6: are known to all, by tenant, span and kind", async () => {
    const first = await marksOf();
    const second = await marksOf();
    await first.marks.exchange([mark("1"), mark("2", "failed")], []);
    const asked = [mark("1"), mark("2"), mark("2", "failed"), mark("1", "llm", "other"), mark("3")];
    expect(await second.marks.exchange([], asked)).toEqual([mark("1"), mark("2", "failed")]);
  });

  it("are exchanged in parts if they are many", async () => {
    const { marks } = await marksOf();
    const many = Array.from({ length: 2500 }, (_, index) => mark(`many-${index}`));
    const others = Array.from({ length: 1200 }, (_, index) => mark(`other-${index}`));
    expect(await marks.exchange(many, [])).toEqual([]);
    expect(await marks.exchange([], [...others, ...many])).toEqual(many);
  });

  it("are hashes that no sender can compute, and expire", async () => {
    await file.server.command("FLUSHALL");
    const { marks } = await marksOf({ ttlMs: 60_000 });
    await marks.exchange([mark("SECRET-6")], []);
    const [key = ""] = await file.server.command("KEYS", "obspan:m:*");
    const members = await file.server.command("SMEMBERS", key);
    expect(members).toEqual([expect.stringMatching(/^l[0-9a-z]{1,11}$/)]);
    expect(Number(await file.server.command("PTTL", key))).toBeGreaterThan(0);
    expect(Number(await file.server.command("PTTL", "obspan:seed"))).toBeGreaterThan(0);
    await file.server.command("FLUSHALL");
    const later = await marksOf();
    await later.marks.exchange([mark("SECRET-6")], []);
    expect(await file.server.command("SMEMBERS", key)).not.toEqual(members);
  });

  it("are bounded in number: the oldest are forgotten", async () => {
    await file.server.command("FLUSHALL");
    const { marks } = await marksOf({ maxMarks: 10 });
    for (let each = 0; each < 35; each++) await marks.exchange([mark(String(each))], []);
    const known = await marks.exchange(
      [],
      Array.from({ length: 35 }, (_, index) => mark(String(index))),
    );
    expect(known.map(({ spanId }) => Number(spanId))).toEqual(Array.from({ length: 15 }, (_, n) => n + 20));
  });

  it("are forgotten when their time is over", async () => {
    await file.server.command("FLUSHALL");
    const { marks } = await marksOf({ ttlMs: 300 });
    await marks.exchange([mark("short")], []);
    await until("it is forgotten", async () => (await marks.exchange([], [mark("short")])).length === 0);
  });

  it("are none while Redis is away", async () => {
    const { redis, marks } = await marksOf();
    await file.server.kill();
    try {
      await until("the loss is noticed", () => !redis.usage().isAvailable);
      expect(marks.exchange([mark("1")], [mark("1")])).toEqual([]);
      expect(redis.usage().alone.model_calls).toBe(1);
    } finally {
      await file.server.start();
    }
  });
});

describe("usage counts once, over collectors (contract 6)", () => {
  const facts = (span: Span) => readSpanFacts(span, context, undefined, () => undefined);

  it("a wrapper is known by a call that another collector has processed", async () => {
    const [first, second] = [await marksOf(), await marksOf()];
    const call = { name: "n", trace_id: "a", span_type: "llm", span_id: "call", parent_span_id: "wrapper" };
    const wrapper = { name: "n", trace_id: "a", span_type: "llm", span_id: "wrapper" };
    const tool = { name: "n", trace_id: "a", span_type: "tool", span_id: "tool" };
    const usageOf = ({ marks }: typeof first) => createSharedLeafUsage(createLeafUsage(clock), marks);
    await usageOf(first).ofBatches([{ tenant: "t", spans: [call] }]);
    const usage = usageOf(second);
    const counts = await usage.ofBatches([
      { tenant: "other", spans: [wrapper] },
      { tenant: "t", spans: [wrapper] },
    ]);
    expect(counts(facts(wrapper), hashesOf("t", facts(wrapper)))).toBe(false);
    expect(counts(facts(wrapper), hashesOf("other", facts(wrapper)))).toBe(true);
    // Without calls, nobody is asked.
    expect(usage.ofBatches([{ tenant: "t", spans: [tool] }])).toBeTypeOf("function");
  });

  it("links of OTLP requests are known to other collectors", async () => {
    const linksOf = async (...spanIds: string[]): Promise<LinkMemory> => {
      const { marks } = await marksOf();
      const spans = spanIds.map((spanId) => ({ traceId: "a", spanId, attributes: new Map() }));
      const request = [{ scopes: [{ spans }] }] as never;
      return await runWaiting(createLinksOf(createLinkMemories(clock), marks)("t", request));
    };
    const first = await linksOf("x");
    for (const kind of ["any", "failed"] as const) first.remember(kind, "a", "parent");
    await until("others know it", async () => (await linksOf("parent")).has("failed", "a", "parent"));
    const second = await linksOf("parent", "child");
    expect(second.has("any", "a", "parent")).toBe(true);
    expect(second.has("llm", "a", "parent")).toBe(false);
    expect(second.has("any", "a", "child")).toBe(false);
  });

  it("a wrapper in an OTLP request is known by a call that another collector has received", async () => {
    const first = await startCollector({ QUEUE_URL: file.server.url });
    const second = await startCollector({ QUEUE_URL: file.server.url });
    for (const { url } of [first, second])
      await until("it is ready", async () => (await fetch(`${url}/ready`)).status === 200);
    // While this machine is busy, Redis may answer too late: the next trace is tried.
    let tries = 0;
    await until("the usage of the wrapper is a total", async () => {
      const traceId = String(++tries).padStart(32, "0");
      expect((await sendCall(first.url, traceId, "00000000000000c1", "00000000000000a1")).status).toBe(200);
      expect((await sendCall(second.url, traceId, "00000000000000a1")).status).toBe(200);
      let attributes: unknown;
      await until("the wrapper is stored", async () => {
        for (const { url } of [first, second]) {
          const found = await fetch(`${url}/v1/traces/${traceId}/spans/00000000000000a1`);
          if (found.status === 200) attributes = await found.json();
        }
        return attributes !== undefined;
      });
      return JSON.stringify(attributes).includes('"usage_total_tokens_input":5');
    });
  });
});

async function sendCall(url: string, traceId: string, spanId: string, parentSpanId = ""): Promise<Response> {
  const attributes = [
    { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
    { key: "gen_ai.usage.input_tokens", value: { intValue: 5 } },
  ];
  const span = { traceId, spanId, parentSpanId, name: "chat", attributes };
  return await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
  });
}
