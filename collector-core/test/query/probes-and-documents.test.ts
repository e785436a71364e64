import { createServer, request as httpRequest } from "node:http";
import { createConnection, type AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ERROR_CATALOGUE } from "../../src/api-schema/errors.js";
import { notReadyReasons } from "../../src/query/readiness.js";
import { formatFor } from "../../src/query/metrics-route.js";
import { connectRaw, until } from "../ingest/raw-connection.js";
import { errorOf, span, startCollector } from "../running-collector.js";

describe("spec 4.5: GET /health", () => {
  it("responds 200 with status, version and uptime (contract 3)", async () => {
    const { get } = await startCollector();
    expect(await get("/health")).toEqual({
      status: "ok",
      version: "0.0.0-test",
      uptime_seconds: expect.any(Number) as number,
    });
  });
});

describe("spec 4.6: GET /ready", () => {
  it("responds 200 ready with the queue usage", async () => {
    const { url } = await startCollector();
    const response = await fetch(`${url}/ready`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ready", queue_pct: 0 });
  });

  it("is not ready at the hard limit, with the reason as the spec words it", () => {
    const usage = (usagePct: number) => ({
      spans: 0,
      bytes: 0,
      capacitySpans: 1,
      capacityBytes: 1,
      usagePct,
      inFlight: 0,
      waiting: 0,
      isAvailable: true,
      level: "normal" as const,
    });
    expect(notReadyReasons(usage(94.999), 95, undefined)).toEqual([]);
    expect(notReadyReasons(usage(95), 95, undefined)).toEqual(["queue_pct=95% >= hard_limit=95%"]);
    expect(notReadyReasons(usage(97.258), 95, undefined)).toEqual(["queue_pct=97.25% >= hard_limit=95%"]);
    expect(notReadyReasons(usage(99), 95, "shutting_down")).toEqual([
      "queue_pct=99% >= hard_limit=95%",
      "shutting_down",
    ]);
  });
});

describe("spec 4.2: GET /metrics", () => {
  it("returns Prometheus text, or OpenMetrics on request", async () => {
    const { url, post, settled } = await startCollector();
    await post({ spans: [span()] });
    await settled();
    const text = await fetch(`${url}/metrics`);
    expect(text.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await text.text()).toContain("# TYPE obs_spans_total counter");
    const open = await fetch(`${url}/metrics`, {
      headers: { Accept: "application/openmetrics-text; version=1.0.0" },
    });
    expect(open.headers.get("content-type")).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
    const body = await open.text();
    expect(body).toContain("# TYPE obs_spans counter");
    expect(body.endsWith("# EOF\n")).toBe(true);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("# TYPE obs_spans_total counter");
  });

  it("chooses the format by the qualities of the Accept header", () => {
    const prometheus =
      "application/openmetrics-text;version=1.0.0;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.3";
    expect(formatFor(prometheus)).toBe("openmetrics");
    expect(formatFor("text/plain, application/openmetrics-text;q=0.5")).toBe("text");
    expect(formatFor("*/*")).toBe("text");
    expect(formatFor(undefined)).toBe("text");
  });

  it("counts requests by route and status, with one name for unknown paths", async () => {
    const { url, post, metric } = await startCollector();
    await post({ spans: [] });
    await post("{");
    await fetch(`${url}/nowhere/at/all`);
    await fetch(`${url}/v1/traces/some-id`);
    expect(await metric('obs_http_requests_total{route="/v1/telemetry",status="202"}')).toBe(1);
    expect(await metric('obs_http_requests_total{route="/v1/telemetry",status="400"}')).toBe(1);
    expect(await metric('obs_http_requests_total{route="unknown",status="404"}')).toBe(1);
    expect(await metric('obs_http_requests_total{route="/v1/traces/:trace_id",status="404"}')).toBe(1);
  });
});

describe("contract 2: one shape of error everywhere", () => {
  it("404 for an unknown path", async () => {
    const { url } = await startCollector();
    for (const path of ["/nowhere", "/v1", "/v1/telemetry/", "/v1/Traces", "/%ff", "//v1/traces"]) {
      const response = await fetch(url + path);
      expect(response.status, path).toBeGreaterThanOrEqual(400);
      expect(response.status, path).toBeLessThan(500);
      expect(await errorOf(response), path).toHaveProperty("message");
    }
  });

  it("405 with Allow for a method that the path does not support", async () => {
    const { url } = await startCollector();
    for (const [method, path, allow] of [
      ["GET", "/v1/telemetry", "POST"],
      ["DELETE", "/v1/telemetry", "POST"],
      ["PUT", "/v1/traces", "DELETE, GET, HEAD, POST"],
      ["PATCH", "/v1/traces/t1", "DELETE, GET, HEAD"],
      ["POST", "/metrics", "GET, HEAD"],
      ["PUT", "/health", "GET, HEAD"],
      ["OPTIONS", "/ready", "GET, HEAD"],
    ] as const) {
      const response = await fetch(url + path, { method });
      expect(response.headers.get("allow"), path).toBe(allow);
      expect(await errorOf(response)).toMatchObject({
        status: 405,
        code: "method_not_allowed",
        details: { allow },
      });
    }
  });

  it("responds 405 before it reads a body, and accepts a DELETE with a content type", async () => {
    const { url } = await startCollector();
    for (const [method, path, type] of [
      ["PUT", "/v1/traces", "application/json"],
      ["POST", "/health", "application/xml"],
      ["PUT", "/v1/telemetry", "application/xml"],
    ] as const) {
      const response = await fetch(url + path, { method, body: "{", headers: { "Content-Type": type } });
      expect(await errorOf(response), path).toMatchObject({ status: 405, code: "method_not_allowed" });
    }
    const headers = { "Content-Type": "application/json" };
    expect((await fetch(`${url}/v1/traces`, { method: "DELETE", headers })).status).toBe(204);
  });

  it.each([
    ["GARBAGE\r\n\r\n", 400, "invalid_http"],
    [
      `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(17 * 1024)}\r\n\r\n`,
      431,
      "headers_too_large",
    ],
  ])("says bad HTTP in the same shape", async (sent, status, code) => {
    const { url } = await startCollector();
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      const socket = createConnection(Number(new URL(url).port), "127.0.0.1", () => socket.write(sent));
      socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      socket.on("close", () => resolve(text));
    });
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ error: { code } });
  });

  it.each(["GET /health", "GET /v1/traces", "POST /v1/telemetry", "POST /v1/traces"])(
    "refuses %s with two Host headers (RFC 9112, 3.2)",
    async (line) => {
      const { url } = await startCollector();
      const [method, path] = line.split(" ");
      const body = await new Promise<string>((resolve, reject) => {
        const headers = ["Host", "localhost", "host", "other.example", "Content-Type", "application/json"];
        const request = httpRequest(`${url}${path}`, { method, headers, setHost: false }, (response) => {
          expect(response.statusCode).toBe(400);
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          response.on("end", () => resolve(text));
        });
        request.on("error", reject).end(method === "POST" ? '{"spans":[]}' : undefined);
      });
      expect(body).toContain("The request has more than one Host header.");
    },
  );

  it("accepts a request target in absolute form", async () => {
    const { url } = await startCollector();
    const { port } = new URL(url);
    const status = await new Promise((resolve, reject) => {
      const headers = { "Content-Type": "application/json" };
      const options = { host: "127.0.0.1", port, method: "POST", path: `${url}/v1/telemetry`, headers };
      const request = httpRequest(options, (response) => resolve(response.resume().statusCode));
      request.on("error", reject).end('{"spans":[]}');
    });
    expect(status).toBe(202);
  });

  it.each([
    ["POST /v1/telemetry HTTP/1.1", "Transfer-Encoding: gzip, chunked"],
    ["POST /v1/traces HTTP/1.1", "Transfer-Encoding: identity, chunked"],
    ["POST /v1/telemetry HTTP/1.1", "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked"],
    ["GET /health HTTP/1.1", "Transfer-Encoding: br, chunked"],
    ["POST /v1/telemetry HTTP/1.0", "Connection: keep-alive\r\nTransfer-Encoding: chunked"],
  ])("refuses %s with %j, and runs no request after it (RFC 9112, 6.1)", async (line, header) => {
    const { url, settled } = await startCollector();
    const { socket, received, isClosed } = await connectRaw(url);
    const host = "Host: localhost\r\nContent-Type: application/json";
    const spans = JSON.stringify({ spans: [{ name: "smuggled", trace_id: "smuggled" }] });
    const second = `POST /v1/telemetry HTTP/1.1\r\n${host}\r\nContent-Length: ${spans.length}\r\n\r\n${spans}`;
    socket.write(`${line}\r\n${host}\r\n${header}\r\n\r\nc\r\n{"spans":[]}\r\n0\r\n\r\n${second}`);
    await until(isClosed);
    expect(received().match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 400"]);
    expect(received()).toContain("invalid_http");
    await settled();
    expect((await fetch(`${url}/v1/traces/smuggled`)).status).toBe(404);
  });

  it.each([
    ["http://evil.example/v1/traces", "localhost", 403],
    ["HTTP://evil.example/v1/traces", "localhost", 403],
    ["http://localhost@evil.example/v1/traces", "localhost", 403],
    ["http://evil.example?/v1/traces", "localhost", 403],
    ["http:///v1/traces", "localhost", 403],
    ["http://localhost/v1/traces", "evil.example", 200],
    ["http://LOCALHOST:1/health?x", "evil.example", 200],
  ])(
    "answers %s with the Host %s by the host of the target (RFC 9112, 3.2.2): %d",
    async (target, host, status) => {
      const { url } = await startCollector();
      const { socket, received } = await connectRaw(url);
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await until(() => received() !== "");
      expect(received()).toContain(`HTTP/1.1 ${status} `);
    },
  );

  it("refuses a link of another site to a path of /v1 also in absolute form", async () => {
    const { url } = await startCollector();
    const { socket, received } = await connectRaw(url);
    const link = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document";
    socket.write(`GET http://localhost/v1/traces HTTP/1.1\r\nHost: localhost\r\n${link}\r\n\r\n`);
    await until(() => received() !== "");
    expect(received()).toContain("origin_not_allowed");
  });

  it("gives every code of the catalogue a status of contract 2, or of bad HTTP", () => {
    const statuses = new Set(Object.values(ERROR_CATALOGUE).map(({ status }) => status));
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([
      400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 416, 417, 429, 431, 500, 503,
    ]);
  });
});

describe("contract 3: GET /v1/config", () => {
  it("returns each option with its value and source", async () => {
    const { get } = await startCollector({ LIMITS_MAX_TRACES: "123" });
    const { config } = await get<{ config: Record<string, { value: unknown; source: string }> }>(
      "/v1/config",
    );
    expect(config["limits.max_traces"]).toMatchObject({ value: 123, source: "OBS_SERVER_LIMITS_MAX_TRACES" });
    expect(config["sampling.rate"]).toMatchObject({ value: 1, source: "default" });
  });
});

describe("contract 3: GET /openapi.json", () => {
  interface OpenApi {
    openapi: string;
    paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>;
  }

  it("is an OpenAPI 3.1 document that names every route of this collector", async () => {
    const { get } = await startCollector();
    const document = await get<OpenApi>("/openapi.json");
    expect(document.openapi).toBe("3.1.0");
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.filter((route) => !route.startsWith("HEAD")).toSorted()).toEqual([
      "DELETE /v1/session",
      "DELETE /v1/trace",
      "DELETE /v1/traces",
      "DELETE /v1/traces/{trace_id}",
      "DELETE /v1/views/{id}",
      "GET /health",
      "GET /metrics",
      "GET /ready",
      "GET /v1/compare",
      "GET /v1/config",
      "GET /v1/context",
      "GET /v1/evaluations",
      "GET /v1/evaluations/summary",
      "GET /v1/events",
      "GET /v1/export",
      "GET /v1/facets",
      "GET /v1/groups",
      "GET /v1/histogram",
      "GET /v1/live",
      "GET /v1/prices",
      "GET /v1/session-export",
      "GET /v1/session-traces",
      "GET /v1/sessions",
      "GET /v1/sessions/{session_id}",
      "GET /v1/sessions/{session_id}/export",
      "GET /v1/span",
      "GET /v1/stats",
      "GET /v1/store",
      "GET /v1/store/backup",
      "GET /v1/trace",
      "GET /v1/trace-export",
      "GET /v1/traces",
      "GET /v1/traces/{trace_id}",
      "GET /v1/traces/{trace_id}/context/{span_id}",
      "GET /v1/traces/{trace_id}/export",
      "GET /v1/traces/{trace_id}/spans/{span_id}",
      "GET /v1/views",
      "POST /mcp",
      "POST /v1/config/check",
      "POST /v1/evaluations",
      "POST /v1/import",
      "POST /v1/session",
      "POST /v1/store/compact",
      "POST /v1/store/prune",
      "POST /v1/store/verify",
      "POST /v1/telemetry",
      "POST /v1/traces",
      "PUT /v1/config",
      "PUT /v1/views/{id}",
    ]);
    for (const methods of Object.values(document.paths)) {
      for (const { responses } of Object.values(methods)) {
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(["403", "500"]));
        expect(Object.keys(responses["500"]?.content ?? {})).toEqual(["application/json"]);
      }
    }
    expect(Object.keys(document.paths["/v1/telemetry"]?.["post"]?.responses ?? {})).toEqual(
      expect.arrayContaining(["202", "400", "413", "415", "429", "503"]),
    );
  });
});

describe("a port in use", () => {
  it("fails the start with the error code of the system", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    await expect(startCollector({ PORT: String(port) })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
