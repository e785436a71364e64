import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { TraceDetail } from "../../src/api-schema/trace.js";
import { otlpRequest } from "../otlp/otlp-request.js";
import { errorOf, sharedCollector, span, startCollector, type ErrorAnswer } from "../running-collector.js";

/** `[item,item,…]`, by default of a few more items than an OTLP body may have objects and arrays. */
function listOf(item: string, bytes = 410_000 * (item.length + 1)): string {
  const count = Math.floor(bytes / (item.length + 1));
  return `[${new Array<string>(count).fill(item).join(",")}]`;
}

function distinctKeys(): string {
  const keys = Array.from({ length: 200_000 }, (_, index) => `"k${index.toString(36)}":1`);
  return `{${keys.join(",")}}`;
}

/** 75,000 objects, each of which becomes a hash table in the parser. */
function rareObjects(keyAt: (index: number) => string): string {
  return `[${Array.from({ length: 75_000 }, (_, index) => `{"${keyAt(index)}":1}`).join(",")}]`;
}

/** Different strings, each of which V8 looks up when it parses them. */
function shortStrings(count: number, textAt = (index: number) => index.toString(36)): string {
  return `[${Array.from({ length: count }, (_, index) => `"${textAt(index)}"`).join(",")}]`;
}

/** Four escapes. */
function escaped(index: number): string {
  const digits = Array.from(index.toString(36).padStart(4, "0"), (digit) => digit.charCodeAt(0).toString(16));
  return digits.map((code) => `\\u00${code}`).join("");
}

function chinese(index: number): string {
  return String.fromCharCode(
    ...Array.from(index.toString(36).padStart(5, "0"), (digit) => 0x4e00 + digit.charCodeAt(0)),
  );
}

const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

const COSTLY: readonly (readonly [what: string, value: string, code: string])[] = [
  ["empty arrays", listOf("[]"), "batch_too_large"],
  ["empty objects", listOf("{}"), "batch_too_large"],
  ["different keys", distinctKeys(), "batch_too_large"],
  ["different keys, each in its own object", rareObjects((index) => `k${index % 60_000}`), "batch_too_large"],
  ["different keys after a common one", rareObjects((index) => `a":1,"k${index}`), "batch_too_large"],
  ["numeric keys", rareObjects((index) => String(99_999_990 + (index % 9))), "batch_too_large"],
  ["numeric keys as escapes", rareObjects((index) => `\\u003${index % 9}9999999`), "batch_too_large"],
  ["different short strings", shortStrings(320_000), "batch_too_large"],
  ["short strings of escapes", shortStrings(320_000, escaped), "batch_too_large"],
  ["short strings that are not ASCII", shortStrings(320_000, chinese), "batch_too_large"],
  ["numbers of one digit", listOf("1", 4_100_000), "batch_too_large"],
  ["members with the same name", `{${new Array(1_010_000).fill('"a":1').join(",")}}`, "batch_too_large"],
  ["arrays in arrays", deep(200_000), "too_deep"],
  ["unclosed arrays", "[".repeat(400_000), "too_deep"],
  ["an unterminated string", `"${'\\\\"'.repeat(500_000)}`, "invalid_json"],
];

const attributesOf = (value: string): string =>
  `{"spans":[{"name":"chat","trace_id":"t1","attributes":{"value":${value}}}]}`;

/** Gzips megabytes of JSON to a few kilobytes. */
async function post(url: string, body: string | Uint8Array, type = "application/json"): Promise<Response> {
  return await fetch(url, {
    method: "POST",
    headers: { "Content-Type": type, "Content-Encoding": "gzip" },
    body: gzipSync(body, { level: 1 }),
  });
}

/** Returns the error code, which OTLP has at the start of the message. */
async function otlpCode(response: Response): Promise<string | undefined> {
  const { message } = JSON.parse(await response.text()) as { message: string };
  return message.split(":", 1)[0];
}

describe("reliability: refuses a body that is too expensive to parse", () => {
  /** Takes none of the bodies that are refused. */
  const shared = sharedCollector();

  it.each(COSTLY)("POST /v1/telemetry: %s", async (_what, value, code) => {
    const { url, metric } = await shared();
    for (const body of [value, attributesOf(value)]) {
      expect(await errorOf(await post(`${url}/v1/telemetry`, body))).toMatchObject({ code });
    }
    expect(await metric("obs_spans_received_total")).toBe(0);
  });

  it.each(COSTLY)("POST /v1/traces in JSON: %s", async (_what, value, code) => {
    const { url } = await shared();
    expect(await otlpCode(await post(`${url}/v1/traces`, `{"resourceSpans":${value}}`))).toBe(code);
  });

  it.each([
    ["resources", (list: Buffer) => list],
    ["spans", (list: Buffer) => message(1, message(2, list))],
    ["events", (list: Buffer) => message(1, message(2, message(2, list)))],
    ["attributes", (list: Buffer) => message(1, message(2, message(2, list)))],
  ] as const)("POST /v1/traces in protobuf: empty %s", async (what, around) => {
    const { url, metric } = await shared();
    const field = { resources: 1, spans: 2, events: 11, attributes: 9 }[what];
    const body = around(Buffer.alloc(1_040_000, Buffer.from([(field << 3) | 2, 0])));
    const response = await post(`${url}/v1/traces`, body, "application/x-protobuf");
    expect(response.status).toBe(413);
    expect(Buffer.from(await response.arrayBuffer()).toString()).toContain("batch_too_large: ");
    expect(await metric("obs_spans_received_total")).toBe(0);
  });

  it.each([
    [
      "a text of control characters, six characters each in JSON",
      () => message(1, Buffer.alloc(1_100_000, 1)),
    ],
    ["a list of empty values", () => message(5, Buffer.alloc(2_200_000, Buffer.from([(1 << 3) | 2, 0])))],
    [
      "a list of numbers",
      () => message(5, Buffer.alloc(4_400_000, Buffer.from([(1 << 3) | 2, 2, 3 << 3, 1]))),
    ],
  ])("POST /v1/traces in protobuf: an attribute that is %s", async (_what, value) => {
    const { url, metric } = await shared();
    const attribute = message(9, Buffer.concat([message(1, Buffer.from("a")), message(2, value())]));
    const body = message(1, message(2, message(2, Buffer.concat([IDS, attribute]))));
    const response = await post(`${url}/v1/traces`, body, "application/x-protobuf");
    expect(response.status).toBe(413);
    expect(Buffer.from(await response.arrayBuffer()).toString()).toContain("batch_too_large: ");
    expect(await metric("obs_spans_received_total")).toBe(0);
  });

  it("POST /v1/traces in protobuf: a large resource, which is copied to many spans", async () => {
    const { url, metric } = await startCollector();
    const text = message(1, Buffer.alloc(1_000_000, "x"));
    const resource = message(1, message(1, Buffer.concat([message(1, Buffer.from("a")), message(2, text)])));
    const scope = message(2, Buffer.concat(new Array<Buffer>(2000).fill(message(2, IDS))));
    const body = message(1, Buffer.concat([resource, scope]));
    const response = await post(`${url}/v1/traces`, body, "application/x-protobuf");
    expect(response.status).toBe(413);
    expect(Buffer.from(await response.arrayBuffer()).toString()).toContain(
      "four times limits.max_body_bytes",
    );
    expect(await metric('obs_spans_rejected_total{reason="batch_too_large"}')).toBe(2000);
  });

  const keyed = (field: number, key: string, value: Buffer): Buffer =>
    message(field, Buffer.concat([message(1, Buffer.from(key)), message(2, value)]));
  /** A request of root spans that share a resource with one attribute. */
  const repeated = (value: Buffer, spans: number): Buffer =>
    message(
      1,
      Buffer.concat([
        message(1, keyed(1, "a", value)),
        message(2, Buffer.concat(new Array<Buffer>(spans).fill(message(2, IDS)))),
      ]),
    );
  const emptyMaps = message(5, Buffer.alloc(4 * 80_000, message(1, message(6, Buffer.alloc(0)))));
  const mapOf = (keys: number): Buffer =>
    message(
      6,
      Buffer.concat(Array.from({ length: keys }, (_, n) => keyed(1, `k${n}`, message(1, Buffer.alloc(0))))),
    );

  it.each([
    [
      "a resource with many maps on each of many spans",
      () => repeated(emptyMaps, 10),
      10,
      "objects and arrays",
    ],
    ["a resource with many keys on each of many spans", () => repeated(mapOf(30_000), 12), 12, "rare keys"],
    [
      "a span of 60,000 attributes",
      () =>
        message(
          1,
          message(
            2,
            message(
              2,
              Buffer.concat([
                IDS,
                ...Array.from({ length: 60_000 }, (_, n) => keyed(9, `k${n}`, message(1, Buffer.alloc(0)))),
              ]),
            ),
          ),
        ),
      1,
      "attributes, events and links in a span",
    ],
  ])("POST /v1/traces in protobuf: %s", async (_what, body, spans, part) => {
    const { url, metric } = await startCollector();
    const response = await post(`${url}/v1/traces`, body(), "application/x-protobuf");
    expect(response.status).toBe(413);
    const error = Buffer.from(await response.arrayBuffer()).toString();
    expect(error).toContain("batch_too_large: ");
    expect(error).toContain(part);
    expect(await metric('obs_spans_rejected_total{reason="batch_too_large"}')).toBe(spans);
  });

  it("keeps a list of more than 20,000 attributes unchanged", async () => {
    const { url, get, settled } = await startCollector({ LIMITS_MAX_SPAN_ATTRIBUTES: "30000" });
    const attributes = Object.fromEntries(
      Array.from({ length: 20_100 }, (_, n) => [`gen_ai.prompt.${n % 5000}.part${n}`, "x"]),
    );
    expect((await post(`${url}/v1/traces`, JSON.stringify(otlpRequest([{ attributes }])))).status).toBe(200);
    await settled();
    const { trace_id: traceId } = await firstTrace(get);
    const { spans } = await get<TraceDetail>(`/v1/traces/${traceId}?full=1`);
    expect(spans[0]?.attributes).toMatchObject(attributes);
  });

  it("accepts a text with some control characters and a long list in protobuf", async () => {
    const { url, get, settled } = await startCollector();
    const value = message(1, Buffer.alloc(500_000, "\u001b[0m text\n\t"));
    const numbers = message(5, Buffer.alloc(900_000, Buffer.from([(1 << 3) | 2, 2, 3 << 3, 1])));
    const attributes = [value, numbers].map((each, index) =>
      message(9, Buffer.concat([message(1, Buffer.from(`a${index}`)), message(2, each)])),
    );
    const body = message(1, message(2, message(2, Buffer.concat([IDS, ...attributes]))));
    expect((await post(`${url}/v1/traces`, body, "application/x-protobuf")).status).toBe(200);
    await settled();
    expect((await firstTrace(get)).trace_id).toBe("07".repeat(16));
  });

  it("names the limit", async () => {
    const { url } = await shared();
    const error = await errorOf(await post(`${url}/v1/telemetry`, listOf("[]")));
    expect(error).toMatchObject({ status: 413, details: { max_objects_and_arrays: 200_000 } });
    expect(error.message).toContain("200000 objects and arrays");
  });

  it("keeps JSON texts as text if they are too large together", async () => {
    const { url, get, settled } = await startCollector();
    const text = listOf("[]", 1_000_000);
    const attributes = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, text]));
    const own = { "obspan.span_type": "span", "obspan.json_keys": Object.keys(attributes) };
    const request = otlpRequest([{ attributes: { ...own, ...attributes } }]);
    expect((await post(`${url}/v1/traces`, JSON.stringify(request))).status).toBe(200);
    await settled();
    const { trace_id: traceId } = await firstTrace(get);
    const { spans } = await get<TraceDetail>(`/v1/traces/${traceId}?full=1`);
    const kinds = Object.values(spans[0]?.attributes ?? {}).map((value) =>
      Array.isArray(value) ? "list" : "text",
    );
    expect(kinds.filter((kind) => kind === "text").length).toBeGreaterThan(4);
    expect(kinds.filter((kind) => kind === "list").length).toBeGreaterThan(0);
  });
});

describe("accepts large bodies of ordinary spans", () => {
  const shared = sharedCollector({ LIMITS_MAX_QUEUE_SIZE: "10000" });
  const hundred = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`attribute_${n}`, `value ${n}`]));
  const embedding = Array.from({ length: 1_000_000 }, (_, n) => (n % 1000) / 1000);
  const byId = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`user_${n}`, n]));
  const points = Array.from({ length: 150_000 }, (_, n) => [n % 90, 52]);

  it.each([
    ["3,900 spans of 100 attributes", Array.from({ length: 3900 }, () => span({ attributes: hundred }))],
    ["an embedding of a million numbers", [span({ attributes: { embedding } })]],
    ["a count for each of 40,000 users", [span({ attributes: { byId, input_text: "x".repeat(300_000) } })]],
    ["150,000 points", [span({ attributes: { points } })]],
    [
      "40,000 short messages",
      [
        span({
          attributes: {
            prompt_messages: new Array(40_000).fill({
              role: "user",
              parts: [{ type: "text", content: "hi" }],
            }),
          },
        }),
      ],
    ],
  ])("%s", async (_what, spans) => {
    const { post: postBatch, settled } = await shared();
    const response = await postBatch({ spans });
    expect((await response.json()) as ErrorAnswer | { status: string }).toMatchObject({ status: "accepted" });
    await settled();
  });
});

async function firstTrace(get: <T>(path: string) => Promise<T>): Promise<{ trace_id: string }> {
  const { traces } = await get<{ traces: { trace_id: string }[] }>("/v1/traces");
  const [trace] = traces;
  if (trace === undefined) throw new Error("There is no trace.");
  return trace;
}

/** Returns the ids of a span in protobuf. */
const IDS = Buffer.concat([message(1, Buffer.alloc(16, 7)), message(2, Buffer.alloc(8, 5))]);

/** Returns a message field in protobuf. */
function message(field: number, content: Buffer): Buffer {
  const length: number[] = [];
  let rest = content.length;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...length, rest]), content]);
}
