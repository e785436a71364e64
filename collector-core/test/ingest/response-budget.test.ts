import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/runtime/clock.js";
import { errorOf, span, startCollector } from "../running-collector.js";
import { startOtlpReceiver } from "../export/otlp-receiver.js";
import { connectRaw, getRequest, stalledPost, until } from "./raw-connection.js";

const MIB = 2 ** 20;
/** Eight times as fast as the real clock: a transfer stalls within an eighth of a second. */
const HURRIED: Clock = { now: () => Date.now(), monotonic: () => 8 * performance.now() };

describe("limits.max_in_flight_bytes bounds responses", () => {
  /**
   * A collector with a list of traces of more than 4 MiB, which exceeds the buffers of the kernel. The budget holds two
   * such responses.
   */
  async function withLongList(settings: Record<string, string> = {}, options: { clock?: Clock } = {}) {
    const memory = { LIMITS_MAX_IN_FLIGHT_BYTES: String(24 * MIB) };
    const collector = await startCollector({ ...memory, ...settings }, options);
    const { post, settled } = collector;
    const text = "\u{1F600}".repeat(256);
    const spans = Array.from({ length: 1000 }, (_, index) =>
      span({
        trace_id: `t${index}`,
        span_id: "s",
        name: text,
        attributes: { agent: text, model: text, input_text: text, output_text: text },
      }),
    );
    expect((await post({ spans })).status).toBe(202);
    await settled();
    return { ...collector, path: "/v1/traces?limit=1000" };
  }

  it("answers `overloaded` while unread responses use the budget, and disconnects their readers", async () => {
    const { url, path, get, metric } = await withLongList({}, { clock: HURRIED });
    for (let reader = 0; reader < 2; reader++) (await connectRaw(url, false)).socket.write(getRequest(path));
    await until(async () => (await metric('obs_in_flight_bytes{kind="answers"}')) > 8 * MIB);

    const refused = await fetch(url + path);
    expect(refused.headers.get("Retry-After")).toBe("2");
    expect(await errorOf(refused)).toMatchObject({
      status: 503,
      code: "overloaded",
      details: { max_in_flight_bytes: 24 * MIB },
    });
    expect(await get("/health")).toMatchObject({ status: "ok" });
    expect((await fetch(`${url}/v1/traces`)).status).toBe(200);

    await until(async () => {
      const answer = await fetch(url + path);
      const { byteLength } = await answer.arrayBuffer();
      return answer.status === 200 && byteLength > 4 * MIB;
    });
    expect(await metric('obs_in_flight_cut_off_total{kind="answers"}')).toBeGreaterThan(0);
  });

  it("delays a streamed response while a slow reader makes progress, and disconnects neither", async () => {
    const { url, path, metric } = await withLongList({ LIMITS_MAX_IN_FLIGHT_BYTES: String(8 * MIB) });
    const slow = await connectRaw(url, false);
    slow.socket.write(getRequest(path));
    await until(async () => (await metric('obs_in_flight_bytes{kind="answers"}')) > 4 * MIB);
    const reading = setInterval(() => void slow.socket.read(), 100);
    const exported = await fetch(`${url}/v1/export`);
    clearInterval(reading);
    expect(exported.status).toBe(200);
    expect((await exported.arrayBuffer()).byteLength).toBeGreaterThan(4 * MIB);
    expect(await metric('obs_in_flight_cut_off_total{kind="answers"}')).toBe(0);
  });

  it("releases the charge of a response when it is sent or its reader disconnects", async () => {
    const { url, path, metric } = await withLongList();
    expect((await (await fetch(url + path)).arrayBuffer()).byteLength).toBeGreaterThan(4 * MIB);
    const reader = await connectRaw(url, false);
    reader.socket.write(getRequest(path));
    await until(async () => (await metric('obs_in_flight_bytes{kind="answers"}')) > 0);
    reader.socket.destroy();
    await until(async () => (await metric('obs_in_flight_bytes{kind="answers"}')) === 0);
  });

  it("sends Content-Length with a long response and no body to HEAD", async () => {
    const { url, path, metric } = await withLongList();
    const answer = await fetch(url + path);
    const { byteLength } = await answer.arrayBuffer();
    expect(byteLength).toBeGreaterThan(4 * MIB);
    expect(answer.headers.get("Content-Length")).toBe(String(byteLength));
    const head = await fetch(url + path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    await until(async () => (await metric('obs_in_flight_bytes{kind="answers"}')) === 0);
  });

  it("builds one response per connection at a time and refuses excess pipelined requests", async () => {
    const { url, path, metric } = await withLongList();
    const reader = await connectRaw(url, false);
    reader.socket.write(getRequest(path).repeat(1000));
    await until(async () => (await metric('obs_in_flight_bytes{kind="answers"}')) > 0);
    expect(await metric('obs_in_flight_bytes{kind="answers"}')).toBeLessThan(6 * MIB);
    expect(await metric('obs_http_requests_total{route="/v1/traces",status="503"}')).toBe(1000 - 16);
    expect((await fetch(url + path)).status).toBe(200);
  });

  it("builds one response per connection at a time, also of an encoded path", async () => {
    const { url, path, metric } = await withLongList();
    const reader = await connectRaw(url, false);
    reader.socket.write(getRequest(path.replace("v", "%76")).repeat(16));
    await until(async () => (await metric('obs_in_flight_bytes{kind="answers"}')) > 0);
    await fetch(url + path);
    expect(await metric('obs_in_flight_refused_total{kind="answers"}')).toBe(0);
    expect(await metric('obs_in_flight_bytes{kind="answers"}')).toBeLessThan(12 * MIB);
  });

  it("answers pipelined requests in order and closes the connection after a refusal", async () => {
    const { url } = await startCollector();
    const client = await connectRaw(url);
    client.socket.write(getRequest("/health").repeat(17));
    await until(() => client.isClosed());
    const statuses = [...client.received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual([...Array.from({ length: 16 }, () => "200"), "503"]);
    expect(client.received()).toContain('"max_requests_under_way":16');
  });
});

describe("limits.max_in_flight_bytes bounds request bodies", () => {
  it("accepts small batches while stalled uploads use the budget, and a large one soon after", async () => {
    const { url, post, metric } = await startCollector(
      { LIMITS_MAX_IN_FLIGHT_BYTES: String(4 * MIB), LIMITS_MAX_BODY_BYTES: String(MIB) },
      { clock: HURRIED },
    );
    for (let upload = 0; upload < 18; upload++)
      (await connectRaw(url)).socket.write(stalledPost("/v1/telemetry", MIB, MIB - 10));
    await until(async () => (await metric('obs_in_flight_bytes{kind="request_bodies"}')) === 2 * MIB);
    expect((await post({ spans: [span()] })).status).toBe(202);
    const large = { spans: [span({ attributes: { input_text: "x".repeat(900_000) } })] };
    await until(async () => {
      const answer = await post(large);
      if (answer.status === 202) return true;
      expect(await errorOf(answer)).toMatchObject({ status: 503, code: "overloaded" });
      return false;
    });
    expect(await metric('obs_in_flight_cut_off_total{kind="request_bodies"}')).toBeGreaterThan(0);
  });

  it("releases the charge of a body after success, error or disconnect", async () => {
    const { url, post, metric, settled } = await startCollector();
    const held = async (): Promise<boolean> =>
      (await metric('obs_in_flight_bytes{kind="request_bodies"}')) === 0;
    const text = "x".repeat(900_000);
    expect((await post({ spans: [span({ attributes: { input_text: text } })] })).status).toBe(202);
    expect((await post(`{"spans":[${text}`)).status).toBe(400);
    expect((await post(" ".repeat(11 * MIB))).status).toBe(413);
    const chunked = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let part = 0; part < 100; part++) controller.enqueue(Buffer.from(" ".repeat(10_000)));
        controller.close();
      },
    });
    const headers = { "Content-Type": "application/json" };
    const streamed = { method: "POST", headers, body: chunked, duplex: "half" } as RequestInit;
    expect((await fetch(`${url}/v1/telemetry`, streamed)).status).toBe(400);
    await settled();
    expect(await held()).toBe(true);
    const upload = await connectRaw(url);
    upload.socket.write(stalledPost("/v1/telemetry", MIB, 500_000));
    await until(async () => !(await held()));
    upload.socket.destroy();
    await until(held);
  });
});

describe("limits.max_in_flight_bytes bounds the export queue", () => {
  it("drops and counts spans over the budget while the receiver is down, and keeps the ledger balanced", async () => {
    const receiver = await startOtlpReceiver((_request, response) => void response.writeHead(503).end());
    const { collector, post, settled, metric, lines } = await startCollector({
      EXPORTER_OTLP_ENDPOINT: receiver.url,
      LIMITS_MAX_IN_FLIGHT_BYTES: String(16 * MIB),
    });
    const prompt = "x".repeat(100_000);
    for (let batch = 0; batch < 20; batch++) {
      const spans = Array.from({ length: 10 }, () => span({ attributes: { input_text: prompt } }));
      expect((await post({ spans })).status).toBe(202);
    }
    await settled();
    expect(await metric('obs_in_flight_bytes{kind="export_queue"}')).toBeLessThan(9 * MIB);
    const { exported } = collector.ledger();
    expect(exported?.queue_full).toBeGreaterThan(100);
    expect((exported?.queue_full ?? 0) + (exported?.pending ?? 0)).toBe(200);
    expect(lines.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/OTLP export lost [\d,]+ spans: .*limits\.max_in_flight_bytes is 4194304/),
    );
  });
});
