import fc from "fast-check";
import { gzipSync } from "node:zlib";
import { createRandomSource, type RandomSource } from "../harness/random-source.js";

/** A marker in bodies: no response and no log line may repeat it. */
export const MARKER = "s3cret-marker-of-a-prompt";

/** Raw requests: noise, malformed HTTP, and well-formed requests with some bytes changed. */
export function randomRawRequests(seed: number, count: number): Buffer[] {
  const random = createRandomSource(seed);
  return Array.from({ length: count }, () => {
    const kind = random.below(10);
    if (kind === 0) return random.bytes(1 + random.below(2000));
    const request = composedRequest(random);
    return kind < 6 ? request : mutated(request, random);
  });
}

const METHODS = [
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "HEAD",
  "OPTIONS",
  "PATCH",
  "TRACE",
  "CONNECT",
  "get",
  "",
  "G T",
] as const;
const PATHS = [
  "/v1/telemetry",
  "/v1/telemetry?x=1",
  "/v1/telemetry/",
  "//v1/telemetry",
  "/v1/traces",
  "/v1/traces?limit=0",
  "/v1/traces?limit=1e9&cursor=zzz",
  "/v1/traces?q=%",
  "/v1/traces/%E0%A4%A",
  "/v1/traces/..%2f..%2fetc%2fpasswd",
  "/v1/traces/a/spans/__proto__",
  "/v1/facets?service=%00",
  "/v1/histogram?since=9999-12-31T23:59:59Z&until=0&buckets=500",
  "/v1/traces?q=%00%F0%9F%98%80(a%2B)%2B%24&min_duration_ms=1e308&order=slowest",
  "/v1/config",
  "/metrics",
  "/health",
  "/ready",
  "/openapi.json",
  "http://127.0.0.1/health",
  "*",
  "",
  "/\u0000",
  `/${"a".repeat(9000)}`,
] as const;
const VERSIONS = [
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/2.0",
  "HTTP/9.9",
  "http/1.1",
  "",
] as const;
const HEADERS = [
  "Content-Type: application/json",
  "Content-Type: application/json; charset=utf-16",
  "Content-Type: text/plain",
  "Content-Encoding: gzip",
  "Content-Encoding: br",
  "Content-Encoding: deflate",
  "Content-Encoding: gzip, gzip",
  "Content-Encoding: constructor",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: identity",
  "Content-Length: -1",
  "Content-Length: 99999999999999999999",
  "Content-Length: 5, 6",
  "Content-Length: 0x10",
  "Expect: 100-continue",
  "Expect: a miracle",
  "Upgrade: websocket\r\nConnection: Upgrade",
  "Connection: close",
  "Origin: null",
  "Origin: https://evil.example",
  "Sec-Fetch-Site: cross-site",
  "Accept: application/openmetrics-text;q=NaN, text/plain;q=",
  "Accept-Encoding: gzip;q=0",
  "X-Tenant-ID: a\tb",
  "Cookie: a=b",
  "Range: bytes=0-",
  "If-None-Match: *",
  "Bad Header: 1",
  ": no name",
  "No-Colon",
  " folded",
  "X-Nul: a\u0000b",
  `X-Long: ${"y".repeat(20_000)}`,
] as const;
const HOSTS = [
  "Host: localhost",
  "Host: localhost",
  "Host: localhost",
  "Host: evil.example",
  "Host:",
  "",
] as const;

function composedRequest(random: RandomSource): Buffer {
  const method = random.inPercent(50) ? "POST" : random.pick(METHODS);
  const path = random.inPercent(50) ? "/v1/telemetry" : random.pick(PATHS);
  const version = random.inPercent(85) ? "HTTP/1.1" : random.pick(VERSIONS);
  const body = method === "POST" || random.inPercent(20) ? rawBody(random) : Buffer.alloc(0);
  const headers: string[] = [random.inPercent(85) ? "Host: localhost" : random.pick(HOSTS)];
  if (random.inPercent(70)) headers.push("Content-Type: application/json");
  if (random.inPercent(40)) headers.push(random.pick(HEADERS));
  if (random.inPercent(10)) headers.push(random.pick(HEADERS));
  const isHonest = random.inPercent(80);
  if (isHonest) headers.push(`Content-Length: ${body.byteLength}`);
  else if (random.inPercent(50)) headers.push(`Content-Length: ${random.below(3 * body.byteLength + 1)}`);
  const lineEnd = random.inPercent(95) ? "\r\n" : "\n";
  const head = [`${method} ${path} ${version}`, ...headers.filter((each) => each !== "")];
  return Buffer.concat([Buffer.from(head.join(lineEnd) + lineEnd + lineEnd), body]);
}

function rawBody(random: RandomSource): Buffer {
  // Neither the list of traces nor a metric shows this attribute.
  const span = { name: "raw", trace_id: "raw", duration_ms: 1, attributes: { note: MARKER } };
  const batch = JSON.stringify({
    spans: [span, ...(random.inPercent(30) ? [MARKER, { [MARKER]: MARKER }] : [])],
  });
  switch (random.below(6)) {
    case 0:
      return Buffer.alloc(0);
    case 1:
      return random.bytes(random.below(500));
    case 2:
      return gzipSync(batch);
    case 3:
      return Buffer.from(`${batch.length.toString(16)}\r\n${batch}\r\n0\r\n\r\n`);
    case 4:
      return Buffer.from(batch.slice(0, random.below(batch.length)));
    default:
      return Buffer.from(batch);
  }
}

function mutated(request: Buffer, random: RandomSource): Buffer {
  const bytes = Buffer.from(request);
  for (let changes = 1 + random.below(8); changes > 0; changes--) {
    bytes[random.below(bytes.byteLength)] = random.below(256);
  }
  return random.inPercent(20) ? bytes.subarray(0, random.below(bytes.byteLength)) : bytes;
}

/** Bodies of POST /v1/telemetry: batches with hostile values, other JSON, and JSON with a few characters changed. */
export function fuzzedBodies(seed: number, count: number): string[] {
  return fc.sample(body, { seed, numRuns: count });
}

/** Numbers as text, because JSON.stringify does not write the worst of them. */
const hostileNumber = fc.constantFrom(
  "1e400",
  "-1e400",
  "-0",
  "-1",
  "1e-400",
  "9007199254740993",
  "0.1e1",
  "1E9",
);
const hostileString = fc.oneof(
  fc.constantFrom(
    MARKER,
    "",
    "__proto__",
    "constructor",
    "\u0000",
    "\ud800",
    "a\nb",
    "\u2028",
    "x".repeat(5000),
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const hostileKey = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", "", "a.b", "\u0000"),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 20, arbitrary: hostileNumber },
  { weight: 20, arbitrary: hostileString.map((text) => JSON.stringify(text)) },
  { weight: 20, arbitrary: fc.json({ maxDepth: 4 }) },
  { weight: 20, arbitrary: fc.array(fc.tuple(hostileKey, hostileString), { maxLength: 6 }).map(objectText) },
  { weight: 1, arbitrary: fc.constant("[".repeat(40) + "]".repeat(40)) },
  { weight: 1, arbitrary: fc.constant('{"a":'.repeat(5000) + "1" + "}".repeat(5000)) },
);

function objectText(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`;
}

const SPAN_FIELDS = [
  ...["name", "span_type", "trace_id", "span_id", "parent_span_id", "start_time", "end_time", "duration_ms"],
  ...["status", "attributes", "events", "error_propagated", "__proto__", "other"],
] as const;
const ATTRIBUTES = [
  ...[
    "model",
    "provider",
    "agent",
    "tool_name",
    "error_type",
    "error_message",
    "tokens_input",
    "tokens_output",
  ],
  ...["cost_usd", "ttft_ms", "prompt_text", "prompt_messages", "tool_definitions", "session_id", "__proto__"],
] as const;
const BATCH_FIELDS = ["service", "env", "version", "batch_id", "spans", "__proto__", "other"] as const;

/** An object with some of these fields, each with any value; the last of equal names wins, as in JSON. */
function someOf(fields: readonly string[], base: readonly string[] = []): fc.Arbitrary<string> {
  const field = fc
    .tuple(fc.constantFrom(...fields), anyText)
    .map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return fc.array(field, { maxLength: 6 }).map((entries) => `{${[...base, ...entries].join(",")}}`);
}

const goodSpan = [`"name":${JSON.stringify(MARKER)}`, '"trace_id":"fuzzed"'];
/** An acceptable span, possibly with unusable values. */
const usableSpan = fc
  .tuple(
    hostileString,
    someOf(ATTRIBUTES),
    someOf(SPAN_FIELDS.filter((each) => !["name", "trace_id"].includes(each))),
  )
  .map(([traceId, attributes, fields]) => {
    const id = traceId === "" || traceId.length > 128 ? "fuzzed" : traceId;
    const own = [goodSpan[0], `"trace_id":${JSON.stringify(id)}`, `"attributes":${attributes}`].join(",");
    return fields === "{}" ? `{${own}}` : `{${own},${fields.slice(1)}`;
  });
const anySpan = fc.oneof(usableSpan, usableSpan, someOf(SPAN_FIELDS, goodSpan), someOf(SPAN_FIELDS), anyText);

const usableBatch = fc
  .tuple(fc.array(usableSpan, { maxLength: 4 }), hostileString)
  .map(([spans, service]) => `{"service":${JSON.stringify(service)},"spans":[${spans.join(",")}]}`);
const anyBatch = fc
  .tuple(fc.array(anySpan, { maxLength: 4 }), someOf(BATCH_FIELDS))
  .map(([spans, fields]) => {
    const own = `"service":${JSON.stringify(MARKER)},"spans":[${spans.join(",")}]`;
    return fields === "{}" ? `{${own}}` : `{${own},${fields.slice(1)}`;
  });
const brokenBatch = fc
  .tuple(usableBatch, fc.nat(), fc.string({ unit: "binary", maxLength: 3 }))
  .map(([text, at, noise]) => {
    const position = at % text.length;
    return text.slice(0, position) + noise + text.slice(position + 1);
  });

const body = fc.oneof(
  { weight: 4, arbitrary: usableBatch },
  { weight: 3, arbitrary: anyBatch },
  { weight: 2, arbitrary: brokenBatch },
  { weight: 1, arbitrary: anyText },
);
