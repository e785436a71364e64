import { request as httpRequest } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { errorOf, sharedCollector, span, startCollector } from "../running-collector.js";

describe("spec 4.1: POST /v1/telemetry", () => {
  it("answers 202 with the number of spans in the batch", async () => {
    const { post } = await startCollector();
    const response = await post({ service: "shop", spans: [span(), span()] });
    expect(response.status).toBe(202);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.json()).toEqual({ status: "accepted", spans_received: 2 });
  });

  it("accepts a batch without spans", async () => {
    const { post } = await startCollector();
    expect(await (await post({ spans: [] })).json()).toEqual({ status: "accepted", spans_received: 0 });
  });

  it("derives metrics and stores the trace", async () => {
    const { post, get, settled, metric } = await startCollector();
    await post({
      service: "shop",
      env: "prod",
      spans: [span({ span_type: "llm", attributes: { model: "m" } })],
    });
    await settled();
    expect(await get("/v1/traces/t1")).toMatchObject({ trace: { service: "shop", llm_calls: 1 } });
    expect(await metric('obs_spans_total{service="shop",env="prod",span_type="llm",status="OK"}')).toBe(1);
  });

  it("contract 1: defaults to service unknown and env development", async () => {
    const { post, get, settled } = await startCollector();
    await post({ spans: [span()] });
    await post({ service: "", env: "", spans: [span({ trace_id: "t2" })] });
    await settled();
    for (const id of ["t1", "t2"]) {
      expect(await get(`/v1/traces/${id}`)).toMatchObject({
        trace: { service: "unknown", env: "development" },
      });
    }
  });
});

describe("spec 7: refusals", () => {
  const shared = sharedCollector();

  it.each([
    ["", "invalid_json", "The body is empty."],
    ["{", "invalid_json", "The body is not valid JSON: syntax error at character 1."],
    ['{"secret": nope}', "invalid_json", undefined],
    ["[]", "invalid_payload", 'The body must be an object with "spans", got an array.'],
    ["null", "invalid_payload", 'The body must be an object with "spans", got null.'],
    ["{}", "missing_spans", 'The body has no "spans".'],
    ['{"spans":{}}', "invalid_spans", '"spans" must be an array, got an object.'],
    ['{"spans":null}', "invalid_spans", '"spans" must be an array, got null.'],
    ['{"spans":[1]}', "invalid_span", "spans[0] must be an object, got a number."],
    [
      '{"spans":[{"trace_id":"t"}]}',
      "invalid_span",
      "spans[0].name must be a non-empty string, got nothing.",
    ],
    [
      '{"spans":[{"name":"a","trace_id":"t"},{"name":"","trace_id":"t"}]}',
      "invalid_span",
      "spans[1].name must be a non-empty string, got an empty string.",
    ],
    [
      '{"spans":[{"name":"a","trace_id":7}]}',
      "invalid_span",
      "spans[0].trace_id must be a string of 1 to 128 characters, got a number.",
    ],
    [
      `{"spans":[{"name":"a","trace_id":"${"x".repeat(129)}"}]}`,
      "invalid_span",
      "spans[0].trace_id must be a string of 1 to 128 characters, got a string of 129 characters.",
    ],
    [
      '{"spans":[{"name":"a","trace_id":"t\\ud800"}]}',
      "invalid_span",
      "spans[0].trace_id must be a string of 1 to 128 characters, got a string with a lone surrogate, which is not valid Unicode.",
    ],
    ['{"service":5,"spans":[]}', "invalid_payload", '"service" must be a string, got a number.'],
    ['{"version":null,"spans":[]}', "invalid_payload", '"version" must be a string, got null.'],
    ['{"env":[],"spans":[]}', "invalid_payload", '"env" must be a string, got an array.'],
    ['{"version":{},"spans":[]}', "invalid_payload", '"version" must be a string, got an object.'],
  ])("answers 400 to %s: %s", async (body, code, message) => {
    const { post } = await shared();
    const error = await errorOf(await post(body));
    expect(error).toMatchObject({ status: 400, code });
    if (message !== undefined) expect(error.message).toBe(message);
    expect(error.message).not.toContain("secret");
  });

  it("names the index and the field of an invalid span and enqueues nothing of its batch", async () => {
    const { post, collector } = await startCollector();
    const error = await errorOf(await post({ spans: [span(), span({ name: 5 })] }));
    expect(error.details).toEqual({ index: 1, field: "name" });
    expect(collector.ledger()).toMatchObject({
      received: 2,
      accepted: 0,
      processed: 0,
      rejected: { invalid_span: 2 },
    });
  });

  it("answers 400 too_deep beyond 32 levels and accepts exactly 32", async () => {
    const { post, get, settled } = await startCollector();
    // Body, spans, span and attributes are the first four levels.
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
    expect((await post({ spans: [span({ attributes: { deep: nested(28) } })] })).status).toBe(202);
    expect(await errorOf(await post({ spans: [span({ attributes: { deep: nested(29) } })] }))).toMatchObject({
      status: 400,
      code: "too_deep",
      message: "The body is nested deeper than 32 levels.",
    });
    const bottomless = `{"spans":[{"name":"a","trace_id":"b","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}]}`;
    expect(await errorOf(await post(bottomless))).toMatchObject({ code: "too_deep" });
    await settled();
    expect(await get("/v1/traces/t1")).toMatchObject({ trace: { span_count: 1 } });
  });

  it("answers 400 invalid_encoding for invalid UTF-8 and replaces nothing", async () => {
    const { post } = await shared();
    const body = Buffer.from(JSON.stringify({ spans: [span({ name: "n?me" })] }));
    body[body.indexOf("?")] = 0xff;
    expect(await errorOf(await post(body))).toMatchObject({ status: 400, code: "invalid_encoding" });
  });

  it("keeps text that is not ASCII unchanged", async () => {
    const { post, get, settled } = await startCollector();
    const attributes = { prompt_text: "Grüße, 世界 😀 \u2028 \\u0041", ключ: "значение" };
    await post({ spans: [span({ name: "résumé", span_id: "s", attributes })] });
    await settled();
    expect(await get("/v1/traces/t1/spans/s")).toMatchObject({ name: "résumé", attributes });
  });

  it("answers 415 for any Content-Type except JSON in UTF-8", async () => {
    const { post } = await shared();
    const body = { spans: [span()] };
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1",
    ]) {
      expect(await errorOf(await post(body, { "Content-Type": type }))).toMatchObject({
        status: 415,
        code: "unsupported_media_type",
        message: `Content-Type must be application/json (in UTF-8), got "${type}".`,
      });
    }
    for (const type of [
      "application/json",
      "Application/JSON ; charset=UTF-8",
      'application/json;charset="utf-8"',
    ]) {
      expect((await post(body, { "Content-Type": type })).status).toBe(202);
    }
  });
});

describe("contract 3: compressed bodies", () => {
  const shared = sharedCollector();

  const text = JSON.stringify({ spans: [span(), span()] });

  it.each([
    ["gzip", gzipSync(text)],
    ["x-gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["deflate", deflateRawSync(text)],
    ["br", brotliCompressSync(text)],
    ["identity", Buffer.from(text)],
    ["GZIP", gzipSync(text)],
  ])("accepts %s", async (encoding, body) => {
    const { post } = await shared();
    const response = await post(body, { "Content-Encoding": encoding });
    expect(await response.json()).toEqual({ status: "accepted", spans_received: 2 });
  });

  it("answers 415 for an unknown encoding", async () => {
    const { post } = await shared();
    expect(await errorOf(await post(text, { "Content-Encoding": "zstd" }))).toMatchObject({
      status: 415,
      code: "unsupported_encoding",
      message: 'Content-Encoding must be gzip, deflate, br or identity, got "zstd".',
    });
  });

  it.each(["gzip", "deflate", "br"])(
    "answers 400 for a body that is not %s or is truncated",
    async (encoding) => {
      const { post } = await shared();
      const whole = { gzip: gzipSync(text), deflate: deflateSync(text), br: brotliCompressSync(text) }[
        encoding
      ];
      for (const body of [text, whole?.subarray(0, 40) ?? ""]) {
        expect(await errorOf(await post(body, { "Content-Encoding": encoding }))).toMatchObject({
          status: 400,
          code: "invalid_encoding",
        });
      }
    },
  );

  it("answers 413 for a body over limits.max_body_bytes and accepts exactly that size", async () => {
    const size = Buffer.byteLength(text);
    const { post } = await startCollector({ LIMITS_MAX_BODY_BYTES: String(size) });
    expect((await post(text)).status).toBe(202);
    expect(await errorOf(await post(`${text} `))).toMatchObject({
      status: 413,
      code: "body_too_large",
      details: { max_body_bytes: size },
    });
  });

  it("answers 413 for 64 MiB of zeros in 65 KB of gzip and in a chunked body", async () => {
    const { post, url } = await startCollector();
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(await errorOf(await post(bomb, { "Content-Encoding": "gzip" }))).toMatchObject({
      status: 413,
      code: "body_too_large",
    });
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
    });
    const response = fetch(`${url}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: endless,
      duplex: "half",
    });
    expect((await response).status).toBe(413);
  });
});

describe("bodies during reception", () => {
  it("reads slow uploads as memory permits and loses none", async () => {
    const { url, settled, collector } = await startCollector({ LIMITS_MAX_BODY_BYTES: "100000" });
    const text = JSON.stringify({ spans: [span({ attributes: { text: "x".repeat(90_000) } })] });
    const upload = () => {
      const headers = {
        "Content-Type": "application/json",
        "Content-Length": String(Buffer.byteLength(text)),
      };
      const request = httpRequest(`${url}/v1/telemetry`, { method: "POST", headers });
      const status = new Promise<number>((resolve, reject) => {
        request.once("response", (response) => resolve(response.resume().statusCode ?? 0));
        request.once("error", reject);
      });
      request.write(text.slice(0, 80_000));
      return { status, finish: () => request.end(text.slice(80_000)) };
    };
    const uploads = Array.from({ length: 40 }, upload);
    for (const { finish } of uploads.toReversed()) finish();
    expect(new Set(await Promise.all(uploads.map(({ status }) => status)))).toEqual(new Set([202]));
    await settled();
    expect(collector.ledger()).toMatchObject({ accepted: 40, processed: 40 });
  });

  it("decompresses many concurrent bodies correctly", async () => {
    const { post } = await startCollector();
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const body = gzipSync(JSON.stringify({ spans: [span({ trace_id: `t${index}` })] }));
        return (await post(body, { "Content-Encoding": "gzip" })).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([202]));
  });
});

describe("contract 1: ids, repeated batches and unusable values", () => {
  it("generates a span id if it is missing or unusable", async () => {
    const { post, get, settled, metric } = await startCollector();
    await post({
      spans: [span(), span({ span_id: 5 }), span({ span_id: "x".repeat(65) }), span({ span_id: "mine" })],
    });
    await settled();
    const { spans } = await get<{ spans: { span_id: string }[] }>("/v1/traces/t1");
    const ids = spans.map((each) => each.span_id);
    expect(new Set(ids).size).toBe(4);
    expect(ids).toContain("mine");
    expect(ids.filter((id) => /^[0-9a-f]{16}$/.test(id))).toHaveLength(3);
    expect(await metric('obs_invalid_values_total{field="span_id"}')).toBe(2);
  });

  it("answers a repeated batch_id with 202 and counts it once", async () => {
    const { post, collector, metric, settled } = await startCollector();
    const batch = { service: "shop", batch_id: "b1", spans: [span(), span()] };
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await (await post(batch)).json()).toEqual({ status: "accepted", spans_received: 2 });
    }
    await settled();
    expect(collector.ledger()).toMatchObject({ received: 2, accepted: 2, processed: 2 });
    expect(await metric("obs_batches_duplicate_total")).toBe(2);
  });

  it("accepts the batch_id of another service and remembers a batch_id for 10 minutes", async () => {
    let nowMs = 0;
    const { post, collector, settled } = await startCollector(
      {},
      { clock: { now: () => Date.now(), monotonic: () => nowMs } },
    );
    await post({ service: "a", batch_id: "b1", spans: [span()] });
    await post({ service: "b", batch_id: "b1", spans: [span()] });
    nowMs += 10 * 60_000 + 1;
    await post({ service: "a", batch_id: "b1", spans: [span()] });
    await settled();
    expect(collector.ledger()).toMatchObject({ accepted: 3 });
  });

  it("ignores an unusable batch_id and accepts the batch", async () => {
    const { post, metric } = await startCollector();
    await post({ batch_id: 7, spans: [span({ name: "" })] });
    for (const batchId of [7, "x".repeat(65), ""]) {
      expect((await post({ batch_id: batchId, spans: [span()] })).status).toBe(202);
    }
    expect(await metric('obs_invalid_values_total{field="batch_id"}')).toBe(3);
  });

  it("counts unusable values by field", async () => {
    const { post, settled, metric } = await startCollector();
    await post({ spans: [span({ duration_ms: -1, attributes: { tokens_input: 1.5, model: 3 } })] });
    await settled();
    for (const field of ["duration_ms", "tokens_input", "model"]) {
      expect(await metric(`obs_invalid_values_total{field="${field}"}`)).toBe(1);
    }
  });

  it("treats keys such as __proto__ and constructor as data", async () => {
    const { post, get, settled } = await startCollector();
    await post(
      '{"__proto__":{"service":"evil"},"spans":[{"name":"a","trace_id":"__proto__","span_id":"constructor","attributes":{"__proto__":{"model":"x"},"constructor":1,"hasOwnProperty":2}}]}',
    );
    await settled();
    const answered = await get<{ attributes: Record<string, unknown>; service: string }>(
      "/v1/traces/__proto__/spans/constructor",
    );
    expect(Object.keys(answered.attributes)).toEqual(["__proto__", "constructor", "hasOwnProperty"]);
    expect(answered.service).toBe("unknown");
  });
});
