import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { createOriginGuard, isLoopback, type OriginPolicy } from "../../src/ingest/origin-guard.js";
import { ApiError } from "../../src/api-schema/errors.js";
import { startCollector } from "../running-collector.js";

function verdict(
  policy: Partial<OriginPolicy>,
  headers: Record<string, string>,
  method = "GET",
  url = "/",
): string {
  const guard = createOriginGuard({ bindHost: "127.0.0.1", allowedHosts: [], allowedOrigins: [], ...policy });
  try {
    return guard({ method, url, headers }).allowedOrigin ?? "passes";
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

describe("contract 5: Host, bound to loopback", () => {
  it.each([
    "localhost:8080",
    "127.0.0.1:8080",
    "127.0.0.1",
    "[::1]:8080",
    "LOCALHOST:9999",
    "127.1.2.3:8080",
  ])("answers to %s", (host) => expect(verdict({}, { host })).toBe("passes"));

  it.each([
    "evil.example:8080",
    "192.168.1.5:8080",
    "localhost.evil.example",
    "",
    "[::1",
    "127.0.0.1.nip.io:8080",
  ])("does not answer to %s", (host) => expect(verdict({}, { host })).toBe("host_not_allowed"));

  it("answers to listed hosts, with any port", () => {
    expect(verdict({ allowedHosts: ["Collector.internal"] }, { host: "collector.internal:8080" })).toBe(
      "passes",
    );
  });
});

describe("contract 5: Host and Origin on any bind", () => {
  const open = { bindHost: "0.0.0.0" };

  it("answers programs that are not browsers under any name", () => {
    expect(verdict(open, { host: "collector.monitoring.svc:8080" })).toBe("passes");
  });

  it("answers browsers only under an IP literal, localhost or a listed name", () => {
    const browser = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };
    expect(verdict(open, { host: "192.168.1.5:8080", ...browser })).toBe("passes");
    expect(verdict(open, { host: "[fd00::1]:8080", ...browser })).toBe("passes");
    expect(verdict(open, { host: "localhost:8080", ...browser })).toBe("passes");
    expect(verdict(open, { host: "rebound.example:8080", ...browser })).toBe("host_not_allowed");
    expect(verdict({ ...open, allowedHosts: ["obs.example"] }, { host: "obs.example", ...browser })).toBe(
      "passes",
    );
  });

  it("recognizes a browser by its User-Agent, because it may send neither Origin nor Sec-Fetch-*", () => {
    const headers = { host: "rebound.example:8080", "user-agent": "Mozilla/5.0 (X11; Linux x86_64)" };
    expect(verdict(open, headers)).toBe("host_not_allowed");
    expect(verdict(open, { host: "rebound.example:8080", "sec-fetch-dest": "empty" })).toBe(
      "host_not_allowed",
    );
  });

  it("accepts a page of its own origin, also behind TLS", () => {
    expect(verdict({}, { host: "localhost:8080", origin: "http://localhost:8080" })).toBe("passes");
    expect(verdict({}, { host: "localhost:8080", origin: "https://localhost:8080" })).toBe("passes");
  });

  it.each(["null", "http://evil.example", "http://localhost:3000", "http://localhost:8080.evil.example", ""])(
    "refuses a page of origin %j",
    (origin) => expect(verdict({}, { host: "localhost:8080", origin })).toBe("origin_not_allowed"),
  );

  it("accepts listed origins", () => {
    const policy = { allowedOrigins: ["http://localhost:5173/"] };
    const headers = { host: "localhost:8080", origin: "http://localhost:5173" };
    expect(verdict(policy, headers)).toBe("http://localhost:5173");
  });

  it("refuses images and scripts of other sites, which send no Origin", () => {
    for (const site of ["cross-site", "same-site"]) {
      const headers = { host: "localhost:8080", "sec-fetch-site": site, "sec-fetch-mode": "no-cors" };
      expect(verdict({}, headers)).toBe("origin_not_allowed");
    }
  });

  it("accepts a link from another site and an address typed by the user", () => {
    const link = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    expect(verdict({}, { host: "localhost:8080", ...link })).toBe("passes");
    expect(verdict({}, { host: "localhost:8080", ...link, "sec-fetch-dest": "iframe" })).toBe(
      "origin_not_allowed",
    );
    expect(verdict({}, { host: "localhost:8080", ...link }, "POST")).toBe("origin_not_allowed");
    for (const url of ["/traces/v1?q=/v1/export", "/metrics", "/v1x"])
      expect(verdict({}, { host: "localhost:8080", ...link }, "GET", url)).toBe("passes");
    for (const url of [
      "/v1/export",
      "/v1/store/backup?x",
      "/%761/export",
      "/v1%2fexport",
      "/V1/export",
      "/v1/%",
    ])
      expect(verdict({}, { host: "localhost:8080", ...link }, "GET", url)).toBe("origin_not_allowed");
    expect(
      verdict({}, { host: "localhost:8080", "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }),
    ).toBe("passes");
  });
});

describe("isLoopback", () => {
  it("accepts localhost, ::1 and 127.0.0.0/8", () => {
    for (const host of ["localhost", "::1", "127.0.0.1", "127.255.0.3"]) expect(isLoopback(host)).toBe(true);
    for (const host of ["0.0.0.0", "::", "128.0.0.1", "127.0.0.1.example", "127.1"])
      expect(isLoopback(host)).toBe(false);
  });
});

/** Sends a plain request, because fetch cannot set Host or Origin. */
function send(url: string, method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const { port } = new URL(url);
      const request = httpRequest({ host: "127.0.0.1", port, method, path, headers }, (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (body += chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      });
      request.on("error", reject);
      request.end();
    },
  );
}

describe("contract 2: Host and Origin are checked first", () => {
  it("answers 403 on every route and unknown path, with the reason and the remedy", async () => {
    const { url } = await startCollector();
    for (const [method, path] of [
      ["POST", "/v1/telemetry"],
      ["GET", "/v1/traces"],
      ["GET", "/metrics"],
      ["GET", "/health"],
      ["GET", "/nowhere"],
      ["OPTIONS", "/v1/telemetry"],
    ] as const) {
      const foreign = await send(url, method, path, { Host: "evil.example" });
      expect(foreign.status, path).toBe(403);
      expect(JSON.parse(foreign.body)).toMatchObject({ error: { code: "host_not_allowed" } });
      expect(foreign.body).toContain("OBS_SERVER_ALLOWED_HOSTS");
      const page = await send(url, method, path, { Host: "localhost", Origin: "http://evil.example" });
      expect(page.status, path).toBe(403);
      expect(JSON.parse(page.body)).toMatchObject({ error: { code: "origin_not_allowed" } });
    }
  });

  it("sends no CORS headers by default", async () => {
    const { url } = await startCollector();
    const { headers } = await send(url, "GET", "/health", { Host: "localhost" });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });

  it("answers the preflight of a listed origin and names the origin in every response", async () => {
    const origin = "http://localhost:5173";
    const { url } = await startCollector({ ALLOWED_ORIGINS: origin });
    const preflight = await send(url, "OPTIONS", "/v1/telemetry", {
      Host: "localhost",
      Origin: origin,
      "Access-Control-Request-Method": "POST",
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({ "access-control-allow-origin": origin, vary: "Origin" });
    const answer = await send(url, "GET", "/v1/traces", { Host: "localhost", Origin: origin });
    expect(answer.status).toBe(200);
    expect(answer.headers["access-control-allow-origin"]).toBe(origin);
  });

  it.each([
    ["X-Tenant-ID", {}],
    ["X-Org", { MULTI_TENANT_ENABLED: "true", MULTI_TENANT_HEADER_NAME: "X-Org" }],
  ])("lets a listed origin send the tenant header %s", async (header, options) => {
    const origin = "http://localhost:5173";
    const { url } = await startCollector({ ...options, ALLOWED_ORIGINS: origin });
    const { headers } = await send(url, "OPTIONS", "/v1/telemetry", {
      Host: "localhost",
      Origin: origin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": `content-type,${header.toLowerCase()}`,
    });
    expect(String(headers["access-control-allow-headers"]).split(", ")).toEqual([
      "Content-Type",
      "Content-Encoding",
      "X-API-Key",
      "Authorization",
      "MCP-Protocol-Version",
      "MCP-Session-Id",
      "Mcp-Method",
      "Mcp-Name",
      header,
    ]);
  });

  it("lets a listed origin read Retry-After, also of a refusal", async () => {
    const origin = "http://localhost:5173";
    const { url } = await startCollector({
      ALLOWED_ORIGINS: origin,
      RATE_LIMIT_ENABLED: "true",
      RATE_LIMIT_PER_IP_RPM: "1",
    });
    const post = () => send(url, "POST", "/v1/telemetry", { Host: "localhost", Origin: origin });
    await post();
    const { status, headers } = await post();
    expect(status).toBe(429);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    expect(headers).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "Retry-After",
    });
  });
});
