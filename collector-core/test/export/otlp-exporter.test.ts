import { createHash } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Ledger } from "../../src/assembly/ledger.js";
import {
  Span_SpanKind,
  Status_StatusCode,
} from "../../src/otlp/proto/opentelemetry/proto/trace/v1/trace_pb.js";
import { createOtlpExporter } from "../../src/export/otlp-exporter.js";
import type { SendResult } from "../../src/export/otlp-transport.js";
import { createByteBudget } from "../../src/in-flight/byte-budget.js";
import { systemClock } from "../../src/runtime/clock.js";
import { span, startCollector, type RunningCollector } from "../running-collector.js";
import { aSpan, pipelineSpans } from "../store/span-batches.js";
import {
  accept,
  acceptAllBut,
  plainAttributes,
  startOtlpReceiver,
  type Answer,
  type OtlpReceiver,
} from "./otlp-receiver.js";

async function exporting(
  receiver: Pick<OtlpReceiver, "url">,
  settings: Record<string, string> = {},
): Promise<RunningCollector> {
  return await startCollector({
    EXPORTER_OTLP_ENDPOINT: receiver.url,
    EXPORTER_FLUSH_INTERVAL: "1",
    ...settings,
  });
}

/** {@link exporting} with batches of the size that the test sends, which are sent without waiting for the interval. */
async function exportingAtOnce(
  receiver: Pick<OtlpReceiver, "url">,
  spans: number,
  settings: Record<string, string> = {},
): Promise<RunningCollector> {
  return await exporting(receiver, { EXPORTER_BATCH_SIZE: String(spans), ...settings });
}

function exported(collector: RunningCollector): NonNullable<Ledger["exported"]> {
  const { exported: counts } = collector.collector.ledger();
  if (counts === undefined) throw new Error("Nothing is exported.");
  return counts;
}

/** The number of offered spans: the sum over the ledger (contract 4). */
function offered({ pending, ...outcomes }: NonNullable<Ledger["exported"]>): number {
  return Object.values(outcomes).reduce((sum, spans) => sum + spans, pending);
}

async function until(condition: () => boolean, withinMs = 8000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`The condition was not met within ${withinMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const many = (count: number): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, index) => span({ trace_id: `t${index}`, span_id: `s${index}` }));

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(code, headers).end("no");

describe("spec 4.9 rule 3: OTLP export", () => {
  it("posts to {endpoint}/v1/traces in batches of exporter.batch_size, gzipped protobuf", async () => {
    const receiver = await startOtlpReceiver();
    const collector = await exporting(receiver, { EXPORTER_BATCH_SIZE: "20", EXPORTER_FLUSH_INTERVAL: "60" });
    await collector.post({ spans: many(50) });
    await until(() => receiver.requests.length === 2);
    expect(receiver.requests.map(({ path, spans }) => [path, spans.length])).toEqual([
      ["/v1/traces", 20],
      ["/v1/traces", 20],
    ]);
    expect(receiver.requests[0]?.headers).toMatchObject({
      "content-type": "application/x-protobuf",
      "content-encoding": "gzip",
    });
    await until(() => exported(collector).exported === 40);
    expect(exported(collector)).toMatchObject({ exported: 40, pending: 10 });
    expect(await collector.metric("obs_export_queue_size")).toBe(10);
  });

  it("flushes a partial batch after exporter.flush_interval", async () => {
    const receiver = await startOtlpReceiver();
    const collector = await exporting(receiver);
    await collector.post({ spans: many(3) });
    await until(() => receiver.spans().length === 3);
    await until(() => exported(collector).exported === 3);
    expect(await collector.metric('obs_export_spans_total{outcome="exported"}')).toBe(3);
  });

  it("exports nothing without an endpoint", async () => {
    const collector = await startCollector();
    await collector.post({ spans: many(3) });
    await collector.settled();
    expect(collector.collector.ledger().exported).toBeUndefined();
    expect(await (await fetch(`${collector.url}/metrics`)).text()).not.toContain("obs_export_");
  });

  it("spec 4.9 rule 1: exports only spans of sampled traces", async () => {
    const receiver = await startOtlpReceiver();
    const collector = await exporting(receiver, { SAMPLING_RATE: "0" });
    await collector.post({ spans: many(3) });
    await collector.settled();
    expect(offered(exported(collector))).toBe(0);
  });

  it("contract 1: exports a span only after it ended", async () => {
    const receiver = await startOtlpReceiver();
    const collector = await exportingAtOnce(receiver, 1);
    await collector.post({ spans: [span({ span_id: "a", status: "RUNNING" })] });
    await collector.post({ spans: [span({ span_id: "a", status: "OK" })] });
    await until(() => receiver.spans().length > 0);
    expect(receiver.spans()).toHaveLength(1);
    expect(offered(exported(collector))).toBe(1);
  });

  it("contract 5 exporter.headers, exporter.compression: sends custom headers, and no gzip with none", async () => {
    const receiver = await startOtlpReceiver();
    const collector = await exportingAtOnce(receiver, 1, {
      EXPORTER_HEADERS: "X-Key=secret=1, X-Team = a b",
      EXPORTER_COMPRESSION: "none",
    });
    await collector.post({ spans: many(1) });
    await until(() => receiver.requests.length === 1);
    expect(receiver.requests[0]?.headers).toMatchObject({ "x-key": "secret=1", "x-team": "a b" });
    expect(receiver.requests[0]?.headers["content-encoding"]).toBeUndefined();
    expect(JSON.stringify(await collector.get("/v1/config"))).not.toContain("secret=1");
  });
});

describe("contract 6: an exported span", () => {
  it("has Obspan attributes as well as semantic-convention attributes", async () => {
    const receiver = await startOtlpReceiver();
    const collector = await exportingAtOnce(receiver, 1);
    const messages = [{ role: "user", parts: [{ type: "text", content: "Hi" }] }];
    const sent = span({
      name: "chat gpt",
      trace_id: "0af7651916cd43dd8448eb211c80319c",
      span_id: "b7ad6b7169203331",
      parent_span_id: "00f067aa0ba902b7",
      span_type: "llm",
      start_time: "2026-11-21T10:00:00.000000001Z",
      duration_ms: 1500,
      attributes: {
        model: "gpt-5-mini",
        provider: "openai",
        tokens_input: 120,
        tokens_output: 7,
        ttft_ms: 250,
        cost_usd: 0.0042,
        prompt_messages: messages,
        finish_reason: "stop",
        "gen_ai.request.model": "as sent",
        nested: { a: [1, null] },
        mixed: [1, "two"],
        nothing: null,
        list: ["a", "b"],
        large: 1e300,
      },
      events: [{ name: "retry", time: "2026-11-21T10:00:00.5Z", attributes: { attempt: 2 } }],
    });
    await collector.post({ service: "shop", env: "production", version: "1.2", spans: [sent] });
    await until(() => receiver.requests.length === 1);

    const [resourceSpans] = receiver.requests[0]?.message.resourceSpans ?? [];
    expect(plainAttributes(resourceSpans?.resource?.attributes ?? [])).toEqual({
      "service.name": "shop",
      "deployment.environment.name": "production",
      "service.version": "1.2",
    });
    expect(resourceSpans?.scopeSpans[0]?.scope).toMatchObject({ name: "obspan", version: "0.0.0-test" });

    const [received] = receiver.spans();
    expect(received).toMatchObject({ name: "chat gpt", kind: Span_SpanKind.CLIENT });
    expect(Buffer.from(received?.traceId ?? []).toString("hex")).toBe("0af7651916cd43dd8448eb211c80319c");
    expect(Buffer.from(received?.spanId ?? []).toString("hex")).toBe("b7ad6b7169203331");
    expect(Buffer.from(received?.parentSpanId ?? []).toString("hex")).toBe("00f067aa0ba902b7");
    const startNanos = BigInt(Date.UTC(2026, 10, 21, 10)) * 1_000_000n + 1n;
    expect(received?.startTimeUnixNano).toBe(startNanos);
    expect(received?.endTimeUnixNano).toBe(startNanos + 1_500_000_000n);
    expect(received?.status?.code).toBe(Status_StatusCode.OK);
    expect(plainAttributes(received?.attributes ?? [])).toEqual({
      model: "gpt-5-mini",
      provider: "openai",
      tokens_input: 120,
      tokens_output: 7,
      ttft_ms: 250,
      cost_usd: 0.0042,
      prompt_messages: JSON.stringify(messages),
      finish_reason: "stop",
      nested: '{"a":[1,null]}',
      mixed: '[1,"two"]',
      nothing: "null",
      list: ["a", "b"],
      large: 1e300,
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "as sent",
      "gen_ai.response.model": "gpt-5-mini",
      "gen_ai.provider.name": "openai",
      "gen_ai.usage.input_tokens": 120,
      "gen_ai.usage.output_tokens": 7,
      "gen_ai.usage.cost": 0.0042,
      "gen_ai.response.time_to_first_chunk": 0.25,
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.input.messages": JSON.stringify(messages),
      "obspan.span_type": "llm",
      "obspan.json_keys": ["prompt_messages", "nested", "mixed", "nothing"],
      // Attributes that the sender set itself, so that an import preserves them.
      "obspan.own_keys": ["gen_ai.request.model"],
    });
    expect(received?.events).toHaveLength(1);
    expect(received?.events[0]).toMatchObject({ name: "retry", timeUnixNano: startNanos + 499_999_999n });
  });

  it("replaces a non-hex id by the beginning of its SHA-256 and keeps the original as an attribute", async () => {
    const receiver = await startOtlpReceiver();
    const collector = await exportingAtOnce(receiver, 1);
    await collector.post({ spans: [span({ trace_id: "run 7", span_id: "step", parent_span_id: "root" })] });
    await until(() => receiver.requests.length === 1);
    const [received] = receiver.spans();
    const sha = (id: string, bytes: number) =>
      createHash("sha256")
        .update(id)
        .digest("hex")
        .slice(0, bytes * 2);
    expect(Buffer.from(received?.traceId ?? []).toString("hex")).toBe(sha("run 7", 16));
    expect(Buffer.from(received?.spanId ?? []).toString("hex")).toBe(sha("step", 8));
    expect(Buffer.from(received?.parentSpanId ?? []).toString("hex")).toBe(sha("root", 8));
    expect(plainAttributes(received?.attributes ?? [])).toMatchObject({
      "obspan.trace_id": "run 7",
      "obspan.span_id": "step",
      "obspan.parent_span_id": "root",
    });
  });

  it("carries errors, and statuses that OTLP does not define", async () => {
    const receiver = await startOtlpReceiver();
    const collector = await exportingAtOnce(receiver, 2);
    const attributes = { error_type: "RateLimitError", error_message: "slow down" };
    await collector.post({
      spans: [span({ status: "ERROR", error_propagated: true, attributes }), span({ status: "CANCELLED" })],
    });
    await until(() => receiver.spans().length === 2);
    const [failed, other] = receiver.spans();
    expect(failed?.status).toMatchObject({ code: Status_StatusCode.ERROR, message: "slow down" });
    expect(plainAttributes(failed?.attributes ?? [])).toMatchObject({
      "error.type": "RateLimitError",
      "obspan.error_propagated": true,
    });
    expect(other?.status?.code).toBe(Status_StatusCode.UNSET);
    expect(plainAttributes(other?.attributes ?? [])).toMatchObject({ "obspan.status": "CANCELLED" });
  });
});

describe("reliability.md 8: a failing receiver", () => {
  it("retries a batch after 429, 502, 503 and 504 until the receiver accepts it", async () => {
    /** Four collectors at the same time: each waits a second before it retries. */
    const retried = await Promise.all(
      [429, 502, 503, 504].map(async (code) => {
        const receiver = await startOtlpReceiver(status(code));
        const collector = await exportingAtOnce(receiver, 3);
        await collector.post({ spans: many(3) });
        await until(() => receiver.requests.length === 1);
        receiver.answer = accept;
        await until(() => exported(collector).exported === 3);
        expect(receiver.requests[1]?.spans).toEqual(receiver.requests[0]?.spans);
        return [code, receiver.requests.length];
      }),
    );
    expect(retried).toEqual([429, 502, 503, 504].map((code) => [code, 2]));
  });

  it("logs a warning and counts the spans when nothing listens at the endpoint", async () => {
    const gone = await startOtlpReceiver();
    const collector = await exportingAtOnce({ url: "http://127.0.0.1:9" }, 2, { EXPORTER_MAX_RETRIES: "0" });
    await collector.post({ spans: many(2) });
    await until(() => exported(collector).retries_exhausted === 2);
    expect(gone.requests).toEqual([]);
    expect(
      collector.lines.filter(({ logger, level }) => logger === "export" && level === "WARNING"),
    ).not.toEqual([]);
  });

  it("waits for Retry-After when that is longer than the backoff", async () => {
    const receiver = await startOtlpReceiver(status(429, { "Retry-After": "2" }));
    const collector = await exportingAtOnce(receiver, 1);
    await collector.post({ spans: many(1) });
    await until(() => receiver.requests.length === 1);
    const refusedAtMs = performance.now();
    receiver.answer = accept;
    await until(() => receiver.requests.length === 2);
    expect(performance.now() - refusedAtMs).toBeGreaterThan(1900);
  });

  it.each([
    ["400", status(400)],
    ["500", status(500)],
    ["a redirect", status(307, { Location: "http://127.0.0.1:1/elsewhere" })],
    [
      "200 with HTML",
      (_request, response) =>
        void response.writeHead(200, { "Content-Type": "text/html" }).end("<html>Sign in</html>"),
    ],
  ])("does not retry after %s, and counts the spans as permanent", async (_what, answer) => {
    const receiver = await startOtlpReceiver(answer);
    const collector = await exportingAtOnce(receiver, 2);
    await collector.post({ spans: many(2) });
    await until(() => exported(collector).permanent === 2);
    expect(receiver.requests).toHaveLength(1);
  });

  it("does not retry after a redirect either where fetch rejects it, as that of Electron does", async () => {
    const ownFetch = globalThis.fetch;
    vi.stubGlobal("fetch", async (input: string, init?: RequestInit) => {
      const response = await ownFetch(input, init);
      if (init?.redirect === "manual" && response.status === 307) throw new Error("Redirect was cancelled");
      return response;
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const receiver = await startOtlpReceiver(status(307, { Location: "http://127.0.0.1:1/elsewhere" }));
    const collector = await exportingAtOnce(receiver, 2);
    await collector.post({ spans: many(2) });
    await until(() => exported(collector).permanent === 2);
    expect(receiver.requests).toHaveLength(1);
    const lost = collector.lines.map(({ message }) => message).filter((message) => /redirect/.test(message));
    expect(lost).toEqual([expect.stringContaining("the receiver redirects: Redirect was cancelled")]);
  });

  it("counts the spans that a partial success rejects", async () => {
    const receiver = await startOtlpReceiver(acceptAllBut(2, "too old"));
    const collector = await exportingAtOnce(receiver, 5);
    await collector.post({ spans: many(5) });
    await until(() => exported(collector).partial === 2);
    expect(exported(collector)).toMatchObject({ exported: 3, pending: 0 });
    expect(collector.lines.map(({ message }) => message)).toContain("OTLP export lost 2 spans: too old.");
  });

  it("logs the beginning of what a receiver says, without the values of its headers", async () => {
    const receiver = await startOtlpReceiver(
      acceptAllBut(1, `no Bearer secret-token, ${"x".repeat(60_000)}`),
    );
    const collector = await exportingAtOnce(receiver, 2, {
      EXPORTER_HEADERS: "Authorization=Bearer secret-token",
    });
    await collector.post({ spans: many(2) });
    await until(() => exported(collector).partial === 1);
    const [line = ""] = collector.lines
      .map(({ message }) => message)
      .filter((message) => message.startsWith("OTLP export lost 1 span: "));
    expect(line).toMatch(/^OTLP export lost 1 span: no \*\*\*, x{200}/);
    expect(line.length).toBeLessThan(400);
  });

  it("holds at most exporter.max_queue_size spans, while ingestion continues", async () => {
    const receiver = await startOtlpReceiver(() => undefined);
    const collector = await exporting(receiver, {
      EXPORTER_MAX_QUEUE_SIZE: "100",
      EXPORTER_BATCH_SIZE: "10",
      SHUTDOWN_GRACE_PERIOD_SECONDS: "0.1",
    });
    for (let n = 0; n < 3; n++) expect((await collector.post({ spans: many(100) })).status).toBe(202);
    await collector.settled();
    const counts = exported(collector);
    expect(counts).toMatchObject({ queue_full: 200, pending: 100 });
    expect(offered(counts)).toBe(300);
    const warnings = collector.lines.filter(({ message }) => message.includes("exporter.max_queue_size"));
    expect(warnings).toHaveLength(1);
  });
});

describe("the log of an exporter", () => {
  /** An exporter with a clock that the test moves. */
  function loggingExporter({ batchSize, answer }: { batchSize: number; answer: () => SendResult }) {
    let nowMs = 0;
    let lost = 0;
    const messages: string[] = [];
    const log = (message: string): void => void messages.push(message);
    const clock = { ...systemClock, monotonic: () => nowMs };
    const exporter = createOtlpExporter({
      transport: async () => answer(),
      batchSize,
      flushIntervalMs: 60_000,
      maxQueueSize: 10,
      budget: createByteBudget({ limitBytes: 2 ** 30, clock }).account("export_queue"),
      maxRetries: 0,
      version: "0.0.0-test",
      clock,
      random: () => 0,
      count: (outcome, spans) => void (lost += outcome === "exported" ? 0 : spans),
      log: { warning: log, info: log },
    });
    return {
      messages,
      /** The number of spans in each message about a loss. */
      logged: () =>
        messages.flatMap((message) => /lost ([\d,]+) span/.exec(message)?.[1]?.replace(",", "") ?? []),
      lost: () => lost,
      pass: (ms: number) => void (nowMs += ms),
      stop: () => exporter.stop(nowMs),
      async send(spans: number) {
        exporter.offer(pipelineSpans(Array.from({ length: spans }, (_, n) => aSpan({ span_id: `s${n}` }))));
        await until(() => exporter.pending === 0);
      },
    };
  }

  it("has the losses of an overload once in ten seconds, with their number, and the rest at the stop", async () => {
    const answer = (): SendResult => ({ type: "sent", rejectedSpans: 0, message: "" });
    const { send, messages, logged, lost, pass, stop } = loggingExporter({ batchSize: 5, answer });
    for (let n = 0; n < 100; n++) await send(30);
    expect(lost()).toBe(2000);
    expect(messages).toEqual(["OTLP export lost 20 spans: exporter.max_queue_size (10) is reached."]);
    pass(10_000);
    for (let n = 0; n < 2; n++) await send(30);
    expect(logged()).toEqual(["20", "2000"]);
    await stop();
    expect(logged()).toEqual(["20", "2000", "20"]);
    expect(lost()).toBe(2040);
  });

  it("has a receiver that fails every other time once in ten seconds", async () => {
    let sent = 0;
    const answer = (): SendResult =>
      sent++ % 2 === 0
        ? { type: "retry", reason: "status 503", retryAfterMs: undefined }
        : { type: "sent", rejectedSpans: 0, message: "" };
    const { send, messages, logged, pass } = loggingExporter({ batchSize: 1, answer });
    for (let n = 0; n < 50; n++) await send(1);
    const episode = [
      "OTLP export failed: status 503. Retrying.",
      "OTLP export lost 1 span: status 503, 1 time.",
    ];
    expect(messages).toEqual([...episode, "OTLP export recovered."]);
    pass(10_000);
    for (let n = 0; n < 50; n++) await send(1);
    expect(messages).toHaveLength(6);
    expect(logged()).toEqual(["1", "25"]);
  });
});

describe("spec 4.9 rule 6: the exporter when the collector stops", () => {
  it("sends the pending spans", async () => {
    const receiver = await startOtlpReceiver();
    const collector = await exporting(receiver, { EXPORTER_FLUSH_INTERVAL: "60", EXPORTER_BATCH_SIZE: "20" });
    await collector.post({ spans: many(45) });
    const ledger = await collector.collector.stop();
    expect(receiver.spans()).toHaveLength(45);
    expect(ledger.exported).toMatchObject({ exported: 45, shutdown: 0, pending: 0 });
  });

  it("reliability.md 6: ends a backoff with one last attempt per batch, and counts the rest as shutdown", async () => {
    const receiver = await startOtlpReceiver(status(503, { "Retry-After": "60" }));
    const collector = await exporting(receiver, { EXPORTER_BATCH_SIZE: "10" });
    await collector.post({ spans: many(25) });
    await until(() => receiver.requests.length === 1);
    const ledger = await collector.collector.stop();
    expect(ledger.exported).toMatchObject({ exported: 0, shutdown: 25, pending: 0 });
    expect(receiver.requests).toHaveLength(4);
  });

  it("waits for a hanging receiver no longer than the grace period", async () => {
    const receiver = await startOtlpReceiver(() => undefined);
    const collector = await exporting(receiver, {
      EXPORTER_BATCH_SIZE: "10",
      SHUTDOWN_GRACE_PERIOD_SECONDS: "0.3",
    });
    await collector.post({ spans: many(25) });
    await until(() => receiver.requests.length === 1);
    const startedAtMs = performance.now();
    const ledger = await collector.collector.stop();
    expect(performance.now() - startedAtMs).toBeLessThan(5000);
    expect(ledger.exported).toMatchObject({ shutdown: 25, pending: 0 });
  });
});
