import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSocketServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { checkApp } from "../../../src/cli/doctor/check-app.js";
import { checkCollector } from "../../../src/cli/doctor/check-collector.js";
import { checkEnvironment } from "../../../src/cli/doctor/check-environment.js";
import type { Finding } from "../../../src/cli/doctor/finding.js";

const COLLECTOR = new URL("http://127.0.0.1:8080");
const NOW = Date.parse("2026-11-20T10:00:00Z");

function messages(findings: readonly Finding[], status?: Finding["status"]): string[] {
  return findings
    .filter((finding) => status === undefined || finding.status === status)
    .map(({ message }) => message);
}

async function listening(server: Server, host = "127.0.0.1"): Promise<URL> {
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return new URL(`http://${host.includes(":") ? `[${host}]` : host}:${port}`);
}

async function check(url: URL, apiKey?: string): Promise<{ isThere: boolean; findings: readonly Finding[] }> {
  return await checkCollector({ url, apiKey, tenant: undefined, nowMs: () => NOW });
}

/** A collector whose answers a test decides. */
async function collectorWith(
  answers: Readonly<Record<string, { status?: number; body: unknown }>>,
): Promise<URL> {
  const defaults: typeof answers = {
    "/health": { body: { status: "ok", version: "1.0.0", uptime_seconds: 7200 } },
    "/v1/telemetry": { status: 202, body: { status: "accepted", spans_received: 0 } },
    "/ready": { body: { status: "ready", queue_pct: 1 } },
    "/metrics": { body: "obs_spans_received_total 12\n" },
    "/v1/events": { body: { refused: [], warnings: [] } },
    "/v1/config": { body: { config: {} } },
    "/v1/traces": { body: { traces: [{ service: "shop", start_time: "2026-11-20T09:58:00Z" }] } },
  };
  const answer: RequestListener = (request, response) => {
    const { status = 200, body } = { ...defaults, ...answers }[
      (request.url ?? "").split("?", 1)[0] ?? ""
    ] ?? { status: 404, body: {} };
    const headers = {
      Date: new Date(NOW).toUTCString(),
      ...(request.url === "/health" ? (answers["headers"]?.body as object) : {}),
    };
    request.resume().once("end", () => {
      response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
    });
  };
  return await listening(createServer(answer));
}

describe("contract 9: what obspan doctor says about the collector", () => {
  it("finds nothing wrong", async () => {
    const { isThere, findings } = await check(await collectorWith({}));
    expect(isThere).toBe(true);
    expect(messages(findings, "problem")).toEqual([]);
    expect(messages(findings, "warning")).toEqual([]);
    expect(messages(findings).join("\n")).toMatch(
      /^A collector answers at .*: version 1\.0\.0, up 2 hours\.\nThe clocks agree\.\nIt accepts spans, and asks for no key\.\nThe newest trace began 2 minutes ago, of service shop\.$/,
    );
  });

  it("tells a port where nothing listens from one where something else does", async () => {
    const server = createSocketServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-x\r\n"));
    const ssh = await check(await listening(server));
    expect(ssh.isThere).toBe(false);
    expect(messages(ssh.findings)[0]).toMatch(/does not answer as a collector does/);

    const web = await listening(
      createServer(
        (_, response) => void response.setHeader("Server", "nginx\u001b[31m".slice(0, 5)).end("<html>"),
      ),
    );
    const other = await check(web);
    expect(other.isThere).toBe(false);
    expect(other.findings[0]).toMatchObject({
      status: "problem",
      message: `Something else than a collector answers at ${web.origin} (status 200, nginx).`,
      remedy: expect.stringContaining("OBS_SERVER_PORT"),
    });

    const nothing = await check(new URL("http://127.0.0.1:1"));
    expect(nothing).toMatchObject({
      isThere: false,
      findings: [{ message: "Nothing listens at 127.0.0.1:1." }],
    });
    const unknown = await check(new URL("http://collector.invalid:8080"));
    expect(messages(unknown.findings)[0]).toMatch(/collector\.invalid/);
  });

  it("gives up an answer that is too large, or has no end", async () => {
    const large = await listening(
      createServer((_, response) => void response.end(Buffer.alloc(17 * 2 ** 20, " "))),
    );
    expect(messages((await check(large)).findings)[0]).toMatch(/\(more than 16777216 bytes\)\.$/);

    // Only the timers of this process's own code: sockets keep theirs.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = createServer((_, response) => {
      response.write("and so on", () => vi.advanceTimersByTime(15_000));
    });
    expect(messages((await check(await listening(server))).findings)[0]).toMatch(/\(timeout\)\.$/);
  });

  it("knows the two addresses of this machine apart", async () => {
    const server = createServer((_, response) => void response.end());
    const v6 = await listening(server, "::1").catch(() => undefined);
    // No IPv6 here.
    if (v6 === undefined) return;
    const wrong = await check(new URL(`http://127.0.0.1:${v6.port}`));
    expect(wrong.findings[0]?.message).toBe(
      `Nothing listens at 127.0.0.1:${v6.port}, but something does at [::1]:${v6.port}.`,
    );
    const v4 = await collectorWith({});
    const { findings } = await check(new URL(`http://localhost:${v4.port}`));
    expect(findings[1]?.message).toMatch(/listens at 127\.0\.0\.1 and not at ::1/);
  });

  it("names the state of key, queue, disk and clock, each with a remedy", async () => {
    const error = (code: string) => ({ error: { code, message: "x" } });
    const url = await collectorWith({
      headers: { body: { Date: new Date(NOW + 600_000).toUTCString() } },
      "/v1/telemetry": { status: 503, body: error("paused") },
      "/ready": {
        status: 503,
        body: { status: "not_ready", queue_pct: 99, reasons: ["queue_pct=99% >= hard_limit=95%"] },
      },
      "/v1/config": {
        body: { config: { "sampling.rate": { value: 0.1 }, "trace_store.enabled": { value: false } } },
      },
    });
    const { findings } = await check(url);
    expect(messages(findings)).toEqual([
      expect.stringMatching(/^A collector answers/),
      "The clock of the collector is 10 minutes ahead of this one.",
      "The collector refuses a batch (paused).",
      "The collector is not ready: queue_pct=99% >= hard_limit=95%.",
    ]);
    for (const { status, remedy } of findings) if (status !== "ok") expect(remedy).toMatch(/\.$/);

    const full = await collectorWith({
      "/metrics": {
        body:
          'obs_spans_received_total 100\nobs_spans_rejected_total{reason="queue_full"} 7\n' +
          'obs_spans_dropped_total{reason="evicted_oldest"} 0\nobs_trace_store_unsaved_spans_total{reason="disk_full"} 3\n',
      },
      "/v1/config": {
        body: { config: { "sampling.rate": { value: 0.1 }, "trace_store.enabled": { value: false } } },
      },
    });
    const kept = (await check(full)).findings;
    expect(messages(kept, "problem")).toEqual(["3 spans could not be saved: disk_full."]);
    expect(messages(kept, "warning")).toEqual([
      "7 spans of 100 were rejected: queue_full.",
      "sampling.rate is 0.1: other traces are counted, and not kept.",
      "trace_store.enabled is off: there are metrics, and no traces.",
    ]);
    const hidden = await collectorWith({
      "/metrics": { status: 503, body: error("overloaded") },
      "/v1/traces": { status: 404, body: error("store_disabled") },
    });
    expect(messages((await check(hidden)).findings, "warning")).toEqual([]);
    const broken = await collectorWith({
      "/metrics": {
        body: 'obs_spans_received_total 9\nobs_spans_dropped_total{reason="internal_error"} 1\n',
      },
    });
    expect((await check(broken)).findings).toContainEqual({
      check: "dropped",
      status: "warning",
      message: "1 span was dropped: internal_error.",
      remedy: "Look at the log of the collector.",
    });
    const wrongKey = await collectorWith({ "/v1/telemetry": { status: 401, body: error("unauthorized") } });
    expect(messages((await check(wrongKey)).findings, "problem")[0]).toMatch(/OBS_API_KEY is not set/);
    expect(messages((await check(wrongKey, "wrong")).findings, "problem")[0]).toMatch(/refuses the key/);
    const host = await collectorWith({ "/health": { status: 403, body: error("host_not_allowed") } });
    expect((await check(host)).findings[0]).toMatchObject({
      remedy: "Add the name to server.allowed_hosts.",
    });
  });

  it("survives answers of any shape", async () => {
    for (const body of [
      null,
      [],
      7,
      "x",
      { traces: {}, refused: {}, config: null, queue_pct: "x" },
      { traces: [null], refused: [null] },
    ]) {
      const url = await collectorWith(
        Object.fromEntries(
          ["/ready", "/metrics", "/v1/events", "/v1/config", "/v1/traces"].map((path) => [path, { body }]),
        ),
      );
      expect((await check(url)).isThere).toBe(true);
    }
  });
});

describe("contract 9: what obspan doctor says about the environment", () => {
  const findings = (env: Record<string, string>, url = COLLECTOR): string =>
    checkEnvironment({ env: { OBS_PUSH_URL: "http://127.0.0.1:8080", ...env }, url })
      .map(({ status, message }) => `${status}: ${message}`)
      .join("\n");

  it.each<[Record<string, string>, RegExp | string]>([
    [{}, ""],
    [{ OBS_PUSH_URL: "" }, /^warning: OBS_PUSH_URL is not set here/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:8080/" }, ""],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:8080/v1/traces" }, /^problem: .*once more/],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:8080" }, /^problem: .*no \/v1\/traces/],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://me:secret@localhost:4318" },
      /^warning: OpenTelemetry sends to localhost:4318 /,
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "secret" }, /^problem: .* is not an http or https URL\.$/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:8080" }, /^problem: .* is not an http or https URL\.$/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /^problem: .*grpc/],
    [{ OTEL_SDK_DISABLED: "TRUE" }, /^problem: OTEL_SDK_DISABLED/],
    [{ OTEL_TRACES_EXPORTER: "console" }, /^problem: .*no otlp/],
    [{ OTEL_TRACES_SAMPLER: "traceidratio" }, /^warning: OTEL_TRACES_SAMPLER/],
    [{ OBS_SAMPLE_RATE: "0" }, /^problem: OBS_SAMPLE_RATE/],
    [{ HTTP_PROXY: "http://me:secret@proxy" }, /^warning: HTTP_PROXY is set/],
    [{ http_proxy: "http://proxy", NO_PROXY: "localhost, 127.0.0.1" }, ""],
    [{ HTTPS_PROXY: "http://proxy" }, ""],
  ])("%j", (env, expected) => {
    const text = findings(env);
    if (typeof expected === "string") expect(text).toBe(expected);
    else expect(text).toMatch(expected);
    expect(text).not.toContain("secret");
  });

  it("knows the ports of OpenTelemetry", () => {
    expect(findings({}, new URL("http://127.0.0.1:4318"))).toMatch(/^problem: Port 4318/);
  });
});

describe("contract 9: what obspan doctor says about the app here", () => {
  const app = (
    files: Record<string, string>,
    env: Record<string, string> = {},
    nodeVersion = "24.0.0",
  ): string[] => {
    const directory = mkdtempSync(join(tmpdir(), "obspan-doctor-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), text);
    }
    return checkApp({ directory, env, nodeVersion }).map(({ status, message }) => `${status}: ${message}`);
  };
  const SDK = {
    "node_modules/@obspan/sdk/package.json": '{"name":"@obspan/sdk","exports":{"./register":"./r.js"}}',
    "node_modules/@obspan/sdk/r.js": "",
  };
  const named = (more: object = {}): string =>
    JSON.stringify({ dependencies: { "@obspan/sdk": "1" }, ...more });

  it.each<[string, Record<string, string>, Record<string, string>, RegExp]>([
    ["not installed", { "package.json": named() }, {}, /^problem: .*not installed/],
    [
      "installed, and loaded by nothing",
      { "package.json": named(), ...SDK, "src/app.ts": "run();" },
      {},
      /^warning: .*nothing loads it: no import in 1 files/,
    ],
    [
      "a flag in a script",
      { "package.json": named({ scripts: { start: "node --import @obspan/sdk/register app.js" } }), ...SDK },
      {},
      /^ok: .*flag/,
    ],
    [
      "a flag in NODE_OPTIONS",
      { "package.json": named(), ...SDK },
      { NODE_OPTIONS: "--import @obspan/sdk/register" },
      /^ok: .*flag/,
    ],
    [
      "an import",
      { "package.json": named(), ...SDK, "app.mjs": 'import { configure } from "@obspan/sdk";' },
      {},
      /^ok: .*imported by app\.mjs/,
    ],
    [
      "an import that is too late",
      { "package.json": named({ type: "module" }), ...SDK, "app.js": 'import "@obspan/sdk/register";\n' },
      {},
      /^warning: app\.js imports .*too late/,
    ],
    [
      "a flag without the package",
      { "package.json": "{}" },
      { NODE_OPTIONS: "--require=@obspan/sdk/register" },
      /^problem: NODE_OPTIONS loads/,
    ],
    ["a damaged package.json", { "package.json": "{" }, {}, /^problem: .*not valid JSON/],
    ["a package.json without fields", { "package.json": "null" }, {}, /^warning: The app does not have/],
    [
      "a package.json with others",
      { "package.json": '{"scripts":null,"dependencies":7}' },
      {},
      /^warning: The app does not have/,
    ],
    [
      "flags that Node takes",
      {
        "package.json": named(),
        ...SDK,
        "node_modules/esm/package.json": '{"exports":{"import":"./e.mjs"}}',
      },
      { NODE_OPTIONS: "--import esm --import data:text/javascript,0 --import @obspan/sdk/register" },
      /^ok: .*flag/,
    ],
    [
      "a flag with a URL of another machine",
      { "package.json": "{}" },
      { NODE_OPTIONS: "--import file://other/hook.mjs" },
      /^problem: NODE_OPTIONS loads file:/,
    ],
    ["Python without an instrumentation", { "requirements.txt": "openai\n" }, {}, /^warning: The Python app/],
    [
      "Python with one",
      { "pyproject.toml": 'dependencies = ["opentelemetry-distro"]' },
      {},
      /^ok: The Python app/,
    ],
  ])("%s", (_, files, env, expected) => {
    expect(app(files, env)[0]).toMatch(expected);
  });

  it("says nothing about a directory without an app, and knows which Node has no hooks", () => {
    expect(app({ "notes.txt": "" })).toEqual([]);
    expect(app({ "package.json": named(), ...SDK }, {}, "22.14.0")[1]).toMatch(
      /^warning: Node 22\.14\.0 has no/,
    );
  });
});
