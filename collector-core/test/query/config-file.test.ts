import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import fastify from "fastify";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ConfigChange, ConfigCheck, ConfigDescription } from "../../src/api-schema/config.js";
import { createCollector } from "../../src/collector.js";
import { loadConfig } from "../../src/config/load-config.js";
import { configRoutes } from "../../src/query/config-routes.js";
import { RequestAborted } from "../../src/runtime/request-aborted.js";
import { errorOf, recordingLogger, startCollector } from "../running-collector.js";

const YAML = `# Of the support team.
limits:
  max_traces: 500 # as many as a day brings
  # spans:
  max_queue_size: 2000

auth:
  api_keys: []
`;

/** A collector with a file of this text, and how to write it. */
async function withFile(yaml: string, settings: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), "obspan-config-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "obspan.yaml");
  writeFileSync(path, yaml, { mode: 0o640 });
  const running = await startCollector({ CONFIG: path, ...settings });
  return {
    ...running,
    path,
    directory,
    text: () => readFileSync(path, "utf8"),
    put: (config: unknown, headers: Record<string, string> = {}) => put(running.url, { config }, headers),
  };
}

function put(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/v1/config`, {
    method: "PUT",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

describe("contract 3: PUT /v1/config and the places of files", () => {
  it.each(["/tmp/elsewhere", "none", null])(
    "does not write where the collector keeps its files: %j",
    async (path) => {
      const { put, text } = await withFile("trace_store:\n  path: none\n");
      const response = await put({ "trace_store.path": path, "limits.max_traces": 800 });
      expect(response.status).toBe(400);
      const { code, message, details } = await errorOf(response);
      expect(code).toBe("invalid_config");
      expect(message).toContain("OBS_SERVER_TRACE_STORE_PATH");
      expect(Object.keys(details)).toEqual(["trace_store.path"]);
      expect(text()).toBe("trace_store:\n  path: none\n");
    },
  );

  it("writes no option that names a file, a directory or a store", async () => {
    const { put, url } = await withFile(YAML);
    const { config } = (await (await fetch(`${url}/v1/config`)).json()) as ConfigDescription;
    const places = Object.entries(config).filter(([, { rule }]) => rule.startsWith("the path of "));
    expect(places.map(([key]) => key)).toContain("trace_store.path");
    for (const [key, { read_only }] of places) {
      expect(read_only, key).toBe(true);
      expect((await put({ [key]: "/tmp/elsewhere" })).status, key).toBe(400);
    }
  });
});

describe("contract 3: PUT /v1/config", () => {
  it("writes values to the file and leaves the rest of the file unchanged", async () => {
    const { put, text, path } = await withFile(YAML);
    const response = await put({
      "limits.max_traces": 800,
      "sampling.rate": 0.5,
      "histograms.duration_buckets": [0.1, 1],
      "limits.max_queue_size": null,
    });
    expect(response.status).toBe(200);
    expect(text()).toBe(`# Of the support team.
limits:
  max_traces: 800 # as many as a day brings

auth:
  api_keys: []
sampling:
  rate: 0.5
histograms:
  duration_buckets:
    - 0.1
    - 1
`);
    const change = (await response.json()) as ConfigChange;
    expect(change).toMatchObject({ file: path, overridden: {} });
    expect(change.written).toEqual([
      "limits.max_traces",
      "sampling.rate",
      "histograms.duration_buckets",
      "limits.max_queue_size",
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it.each([0o664, 0o600, 0o644])("keeps the mode %s of the file for any umask", async (mode) => {
    const { put, path } = await withFile(YAML);
    chmodSync(path, mode);
    expect((await put({ "limits.max_traces": 800 })).status).toBe(200);
    expect(statSync(path).mode & 0o7777).toBe(mode);
  });

  it.runIf(process.getuid?.() === 0)(
    "keeps owner and group of the file, also where root writes it",
    async () => {
      const { put, path, text } = await withFile(YAML);
      chownSync(path, 12_345, 23_456);
      chmodSync(path, 0o660);
      expect((await put({ "limits.max_traces": 800 })).status).toBe(200);
      const { uid, gid, mode } = statSync(path);
      expect({ uid, gid, mode: mode & 0o7777 }).toEqual({ uid: 12_345, gid: 23_456, mode: 0o660 });
      expect(text()).toContain("max_traces: 800");
    },
  );

  it("lists the keys that take effect after a restart", async () => {
    const { put, get } = await withFile(YAML);
    const change = (await (
      await put({ "limits.max_traces": 800, "sampling.rate": 1 })
    ).json()) as ConfigChange;
    expect(change.restart_required).toEqual(["limits.max_traces"]);
    const { config } = await get<ConfigDescription>("/v1/config");
    expect(config["limits.max_traces"]).toMatchObject({ value: 500, after_restart: 800 });
    expect(config["sampling.rate"]).not.toHaveProperty("after_restart");
  });

  it("names the environment variable that overrides a written value", async () => {
    const { put, text } = await withFile(YAML, { SAMPLING_RATE: "0.25" });
    const change = (await (await put({ "sampling.rate": 0.75 })).json()) as ConfigChange;
    expect(change.overridden).toEqual({ "sampling.rate": "OBS_SERVER_SAMPLING_RATE" });
    expect(change.restart_required).toEqual([]);
    expect(text()).toContain("rate: 0.75");
  });

  it("rejects a URL with credentials without quoting them", async () => {
    const { put, text } = await withFile(YAML);
    const response = await put({ "exporter.otlp_endpoint": "http://user:hunter2@localhost:4318" });
    const error = await errorOf(response);
    expect(error).toMatchObject({ status: 400, code: "invalid_config" });
    expect(error.details["exporter.otlp_endpoint"]).toContain("http://***@localhost:4318");
    expect(JSON.stringify(error)).not.toContain("hunter2");
    expect(text()).toBe(YAML);
  });

  it("rejects a masked value instead of writing it over the secret", async () => {
    const { put, text } = await withFile(YAML);
    const error = await errorOf(await put({ "evaluation.judge_model": "http://***@localhost/model" }));
    expect(error.details["evaluation.judge_model"]).toContain("send it in full");
    expect(text()).toBe(YAML);
  });

  it("reports every problem by key and writes nothing", async () => {
    const { put, text } = await withFile(YAML);
    const error = await errorOf(
      await put({
        "sampling.rate": 2,
        "limits.max_tracs": 5,
        "limits.max_traces": 600,
        "logging.log_file": "/tmp/x",
      }),
    );
    expect(error).toMatchObject({ status: 400, code: "invalid_config" });
    expect(Object.keys(error.details)).toEqual(["sampling.rate", "limits.max_tracs", "logging.log_file"]);
    expect(error.details["limits.max_tracs"]).toContain("limits.max_traces");
    expect(error.details["logging.log_file"]).toContain("OBS_SERVER_LOGGING_LOG_FILE");
    const crossKey = await errorOf(await put({ "backpressure.soft_limit_pct": 96 }));
    expect(crossKey.details["backpressure.soft_limit_pct"]).toContain("backpressure.hard_limit_pct = 95");
    expect(text()).toBe(YAML);
  });

  it("accepts secrets and never returns one; *** keeps the current value", async () => {
    const { put, text } = await withFile(YAML.replace("[]", "[old-key]"));
    const key = { "X-API-Key": "old-key" };
    expect((await put({ "auth.api_keys": ["new-key"] })).status).toBe(401);
    const answer = await (await put({ "auth.api_keys": ["new-key"] }, key)).text();
    expect(answer).not.toContain("new-key");
    expect(text()).toContain("new-key");
    await put({ "auth.api_keys": "***", "sampling.rate": 0.5 }, key);
    expect(text()).toContain("new-key");
    const refused = await (await put({ "auth.api_keys": ["another", 7] }, key)).text();
    expect(refused).toContain("auth.api_keys = ***");
    expect(refused).not.toContain("another");
  });

  it.each([
    ["auth.api_keys", ["***"]],
    ["auth.api_keys", ["***", "third-key"]],
    ["exporter.headers", { "x-key": "***" }],
  ])("refuses *** as a part of the secret %s: %j would overwrite the secret", async (key, value) => {
    const { put, text } = await withFile(YAML);
    const error = await errorOf(await put({ [key]: value }));
    expect(error).toMatchObject({ status: 400, code: "invalid_config" });
    expect(error.details[key]).toContain("send every part in full");
    expect(text()).toBe(YAML);
  });

  it("sends no stored credentials to a new address", async () => {
    const { put, text } = await withFile(
      'exporter: { otlp_endpoint: "http://127.0.0.1:9/a", headers: { Authorization: Bearer hunter2 } }\n',
    );
    const before = text();
    const address = "exporter.otlp_endpoint";
    for (const refused of [
      { [address]: "http://127.0.0.1:10" },
      { [address]: "https://127.0.0.1:9/a" },
      { [address]: "http://127.0.0.1:10", "exporter.headers": "***" },
    ]) {
      const response = await put(refused);
      expect(response.status).toBe(400);
      const { details } = await errorOf(response);
      expect(details[address]).toContain("exporter.headers would be sent to the new address");
      expect(text()).toBe(before);
    }
    // The same server, no server, and a server with credentials of its own.
    expect((await put({ [address]: "http://127.0.0.1:9/b" })).status).toBe(200);
    expect((await put({ [address]: null })).status).toBe(200);
    expect((await put({ [address]: "http://127.0.0.1:10" })).status).toBe(400);
    expect((await put({ [address]: "http://127.0.0.1:10", "exporter.headers": { k: "v" } })).status).toBe(
      200,
    );
    expect((await put({ [address]: "http://127.0.0.1:11", "exporter.headers": null })).status).toBe(200);
    expect(text()).not.toContain("hunter2");
  });

  it("names the variable whose credentials a new address would get", async () => {
    const { put } = await withFile("exporter: {}\n", { EXPORTER_HEADERS: "Authorization=hunter2" });
    const response = await put({
      "exporter.otlp_endpoint": "http://127.0.0.1:10",
      "exporter.headers": { k: "v" },
    });
    expect(response.status).toBe(400);
    const { details } = await errorOf(response);
    expect(details["exporter.otlp_endpoint"]).toContain("set by OBS_SERVER_EXPORTER_HEADERS");
  });

  it("rejects proxied requests when no keys are set", async () => {
    const { put, text } = await withFile(YAML);
    const error = await errorOf(await put({ "sampling.rate": 0.5 }, { "X-Forwarded-For": "203.0.113.9" }));
    expect(error).toMatchObject({ status: 403, code: "loopback_only" });
    expect(text()).toBe(YAML);
  });

  it("explains what to do when there is no file", async () => {
    const { url } = await startCollector();
    const error = await errorOf(await put(url, { config: { "sampling.rate": 0.5 } }));
    expect(error).toMatchObject({ status: 403, code: "config_not_writable" });
    expect(error.message).toContain("OBS_SERVER_CONFIG");
  });

  it("follows a symbolic link, leaves no temporary file, and writes concurrent changes one at a time", async () => {
    const { directory, path } = await withFile(YAML);
    const link = join(directory, "link.yaml");
    symlinkSync(path, link);
    const { url } = await startCollector({ CONFIG: link });
    const rates = [0.1, 0.2, 0.3, 0.4];
    const responses = await Promise.all(
      rates.map((rate) =>
        put(url, { config: { "sampling.rate": rate, [`limits.max_series`]: 100 + rate * 10 } }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // The requests have connections of their own, so any may be the last. Both of its values are in the file.
    const text = readFileSync(path, "utf8");
    const last = rates.find((rate) => text.includes(`rate: ${rate}\n`)) ?? NaN;
    expect(text).toContain(`max_series: ${100 + last * 10}\n`);
    expect(readdirSync(directory).toSorted()).toEqual(["link.yaml", "obspan.yaml"]);
  });

  it("writes to an empty file and to a section without keys", async () => {
    const { put, text } = await withFile("");
    await put({ "sampling.rate": 0.5 });
    expect(text()).toBe("sampling:\n  rate: 0.5\n");
    const second = await withFile("sampling:\nlimits:\n  max_traces: 5\n");
    await second.put({ "sampling.rate": 0.5 });
    expect(second.text()).toBe("sampling:\n  rate: 0.5\nlimits:\n  max_traces: 5\n");
  });

  it("keeps the keys of a section that is an alias, and the map that it repeats", async () => {
    const { put, text } = await withFile(
      "base: &base\n  max_traces: 7\n  max_queue_size: 77\nlimits: *base\n",
    );
    const response = await put({ "limits.max_series": 99 });
    expect(response.status).toBe(200);
    const { restart_required } = (await response.json()) as ConfigChange;
    expect(restart_required).toEqual(["limits.max_series"]);
    expect(text()).toBe(
      "base: &base\n  max_traces: 7\n  max_queue_size: 77\nlimits:\n  max_traces: 7\n  max_queue_size: 77\n  max_series: 99\n",
    );
    expect((await put({ "limits.max_traces": null })).status).toBe(200);
    expect(text()).toContain("base: &base\n  max_traces: 7\n");
    expect(text()).toContain("limits:\n  max_queue_size: 77\n");
  });

  it("does not write to a file whose keys are set twice", async () => {
    const yaml = "limits:\n  max_traces: 5\n  max_traces: 6\n";
    const { put, text, path } = await withFile("");
    writeFileSync(path, yaml);
    const error = await errorOf(await put({ "sampling.rate": 0.5 }));
    expect(error).toMatchObject({ status: 400, code: "invalid_config" });
    expect(error.message).toContain("max_traces is set twice");
    expect(text()).toBe(yaml);
  });

  it.each(["constructor", "__proto__"])("names %s as an unknown key", async (key) => {
    const { put } = await withFile("");
    const { code, details } = await errorOf(await put(JSON.parse(`{"${key}":1}`)));
    expect(code).toBe("invalid_config");
    expect(Object.entries(details)).toEqual([[key, `${key}: unknown key`]]);
  });

  const LONG = 240_000;
  it.each([
    ["a long name with many schemes", { "sre.agents": { ["://".repeat(LONG / 3)]: { x: 1 } } }],
    ["a long text with many schemes", { "limits.max_traces": "://".repeat(LONG / 3) }],
    ["a long unknown key", { ["limits.".repeat(LONG / 7)]: 1 }],
    ["many unknown keys", Object.fromEntries(Array.from({ length: 4900 }, (_, n) => [`limits.max_${n}`, 1]))],
    ["an unknown key of an agent", { "sre.agents": { shop: { ["x".repeat(LONG)]: 1 } } }],
  ])("rejects %s in linear time and with a short message", async (_what, values) => {
    const { put, text } = await withFile("");
    const before = process.cpuUsage();
    const error = await errorOf(await put(values));
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
    expect(error).toMatchObject({ status: 400, code: "invalid_config" });
    expect(error.message.length).toBeLessThan(2000);
    expect(text()).toBe("");
  });

  it("writes and reads a map of many keys in linear time", async () => {
    const { put, get } = await withFile("");
    const agents = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`a${n}`, {}]));
    const before = process.cpuUsage();
    expect((await put({ "sre.agents": agents })).status).toBe(200);
    const { config } = await get<ConfigDescription>("/v1/config");
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(15_000);
    expect(config["sre.agents"]?.after_restart).toEqual(agents);
  });

  it.each([
    ["more than 2,000 keys", JSON.stringify(Array.from({ length: 2001 }, () => "a"))],
    ["100,000 levels", "[".repeat(100_000) + "]".repeat(100_000)],
  ])("refuses a value with %s, which would block the collector", async (_what, value) => {
    const { url, text } = await withFile("");
    const response = await fetch(`${url}/v1/config`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: `{"config":{"server.allowed_hosts":${value}}}`,
    });
    expect(await errorOf(response)).toMatchObject({ status: 400, code: "invalid_payload" });
    expect(text()).toBe("");
  });

  it.each([
    { QUEUE_URL: "redis://127.0.0.1:9" },
    { QUEUE_URL: "redis://127.0.0.1:9", TRACE_STORE_URL: "http://127.0.0.1:9" },
  ])("changes nothing where collectors share something: each has its own file", async (shared) => {
    const { put, get, url, text } = await withFile(YAML, shared);
    const { status, code, message } = await errorOf(await put({ "limits.max_traces": 800 }));
    expect({ status, code }).toEqual({ status: 409, code: "several_collectors" });
    expect(message).toContain("With queue.url, several collectors may work together");
    expect(text()).toBe(YAML);
    expect((await get<ConfigDescription>("/v1/config")).not_writable).toBe(message);
    // The app shows the file.
    expect((await check(url, {})).before).toContain("max_traces: 500");
  });

  it("says with GET whether it can change the configuration", async () => {
    const { get } = await withFile(YAML);
    expect((await get<ConfigDescription>("/v1/config")).not_writable).toBeNull();
    const { get: getWithoutFile, url } = await startCollector();
    const { not_writable } = await getWithoutFile<ConfigDescription>("/v1/config");
    expect(await errorOf(await put(url, { config: { "limits.max_traces": 800 } }))).toMatchObject({
      status: 403,
      code: "config_not_writable",
      message: not_writable,
    });
  });

  it.each([
    ["a named pipe", (path: string) => execFileSync("mkfifo", [path]), "must be a regular file"],
    ["a device that never ends", (path: string) => symlinkSync("/dev/zero", path), "must be a regular file"],
    ["a directory", (path: string) => mkdirSync(path), "must be a file, not a directory"],
    [
      "larger than a configuration",
      (path: string) => writeFileSync(path, "# \n".repeat(400_000)),
      "must have at most 262144 bytes",
    ],
    [
      "not UTF-8",
      (path: string) => writeFileSync(path, Buffer.from([0x23, 0xfc])),
      "must be a file in UTF-8",
    ],
  ])("answers, and changes nothing, if the file becomes %s", async (_what, replace, problem) => {
    const { get, put, path, url } = await withFile(YAML);
    rmSync(path);
    replace(path);
    const before = lstatSync(path);
    const { file_problems } = await get<ConfigDescription>("/v1/config");
    expect(file_problems).toEqual([expect.stringContaining(problem)]);
    expect(await errorOf(await put({ "limits.max_traces": 800 }))).toMatchObject({
      code: "config_not_writable",
      message: expect.stringContaining("Nothing was changed.") as string,
    });
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(lstatSync(path)).toMatchObject({ ino: before.ino, size: before.size, mode: before.mode });
  });

  it("reports with GET why the collector could not restart", async () => {
    const { get, path } = await withFile(YAML);
    writeFileSync(path, "sampling:\n  rate: 7\n");
    const { file, file_problems } = await get<ConfigDescription>("/v1/config");
    expect(file).toBe(path);
    expect(file_problems).toEqual([expect.stringContaining("sampling.rate = 7")]);
  });

  it.each([
    ["{", 400, "invalid_json"],
    ['{"config": 5}', 400, "invalid_payload"],
    ["[]", 400, "invalid_payload"],
  ])("refuses the body %s", async (body, status, code) => {
    const { url } = await withFile(YAML);
    const response = await fetch(`${url}/v1/config`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body,
    });
    expect(await errorOf(response)).toMatchObject({ status, code });
  });
});

async function check(url: string, config: unknown): Promise<ConfigCheck> {
  const response = await fetch(`${url}/v1/config/check`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ config }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as ConfigCheck;
}

describe("contract 9: POST /v1/config/check", () => {
  it("answers the problems that a write would have, with the file before and after, and writes nothing", async () => {
    const { url, text, put } = await withFile(YAML, { LIMITS_MAX_TRACES: "7" });
    const values = {
      "limits.max_traces": 800,
      "sampling.rate": 7,
      "trace_store.path": "/tmp/elsewhere",
      "no.such": 1,
    };
    const { problems, after } = await check(url, values);
    expect(Object.keys(problems)).toEqual(["sampling.rate", "trace_store.path", "no.such"]);
    expect(problems["sampling.rate"]).toBe("sampling.rate = 7: must be a number from 0 to 1");
    expect(after).toContain("max_traces: 800");
    expect((await errorOf(await put(values))).details).toEqual(problems);

    const across = await check(url, { "backpressure.soft_limit_pct": 96, "limits.max_traces": 800 });
    expect(across.problems["backpressure.soft_limit_pct"]).toMatch(
      /must be less than backpressure\.hard_limit_pct = 95/,
    );
    const allowed = await check(url, { "limits.max_traces": 800 });
    expect(allowed.problems).toEqual({});
    expect(allowed.overridden).toEqual({ "limits.max_traces": "OBS_SERVER_LIMITS_MAX_TRACES" });
    expect(allowed.before).toContain("  max_traces: 500 # as many as a day brings");
    expect(text()).toBe(YAML);
  });

  it("shows no secret of the file, also not one under a wrong key or in a comment beside one", async () => {
    const secrets = `# token: SECRET-1
auth: # SECRET-2
  # api_keys: [SECRET-3]
  api_keys: [SECRET-4]
  api_key: SECRET-5
exporter:
  headers:
    X-Key: SECRET-6 # SECRET-7
  # SECRET-8
# SECRET-9
limits:
  # at most a day
  max_traces: 5
password: SECRET-10
`;
    const directory = mkdtempSync(join(tmpdir(), "obspan-config-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const path = join(directory, "obspan.yaml");
    writeFileSync(path, "");
    const { url } = await startCollector({ CONFIG: path });
    writeFileSync(path, secrets);
    const shown = await check(url, { "limits.max_traces": 6, "auth.api_keys": ["SECRET-11"] });
    expect(JSON.stringify(shown)).not.toContain("SECRET");
    expect(shown.after).toContain("  # at most a day\n  max_traces: 6");
    expect(shown.after).toContain('api_keys: "***"');

    for (const broken of ["auth: [SECRET", "auth: &a { api_keys: [SECRET] }\nexporter: *a\n"]) {
      writeFileSync(path, broken);
      expect(JSON.stringify(await check(url, { "limits.max_traces": 6 }))).not.toContain("SECRET");
    }
  });

  it("is told when its client has left, and is not made then if it waits", async () => {
    const signals: AbortSignal[] = [];
    const app = fastify();
    onTestFinished(() => app.close());
    await app.register(configRoutes, {
      hasKeys: false,
      isLoopback: () => true,
      readJson: async (request) => await json(request),
      describe: () => expect.unreachable(),
      write: () => expect.unreachable(),
      check: async (_values, signal) => {
        signals.push(signal);
        return await new Promise<never>((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error("The client has left."))),
        );
      },
    });
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    const client = new AbortController();
    const request = fetch(`${url}/v1/config/check`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"config": {}}',
      signal: client.signal,
    });
    await vi.waitFor(() => expect(signals).toHaveLength(1), { timeout: 10_000 });
    client.abort();
    await expect(request).rejects.toThrow();
    await vi.waitFor(() => expect(signals[0]?.reason).toBeInstanceOf(RequestAborted), { timeout: 10_000 });
  });

  it("needs what a write needs", async () => {
    const { url } = await withFile(YAML);
    const response = await fetch(`${url}/v1/config/check`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Forwarded: "for=203.0.113.7" },
      body: '{"config": {}}',
    });
    expect(await errorOf(response)).toMatchObject({ status: 403, code: "loopback_only" });
  });
});

describe("contract 9: the configuration file of one user", () => {
  async function withDefaultFile() {
    const directory = mkdtempSync(join(tmpdir(), "obspan-config-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const path = join(directory, "new", "obspan", "obspan.yaml");
    const env = { OBS_SERVER_PORT: "0", OBS_SERVER_HOST: "127.0.0.1" };
    const load = () => {
      const result = loadConfig({ env, defaultConfigPath: path });
      if (result.type === "refused") throw new Error(result.problems.join());
      return result.loaded;
    };
    const collector = await createCollector({
      loaded: load(),
      logger: recordingLogger([]),
      version: "0.0.0-test",
    });
    await collector.start();
    onTestFinished(() => void collector.stop());
    return { path, load, url: collector.url };
  }

  it("is created by the first change, for its owner only, and read by the next start", async () => {
    const { path, load, url } = await withDefaultFile();
    const describe = async () => (await (await fetch(`${url}/v1/config`)).json()) as ConfigDescription;
    expect(await describe()).toMatchObject({ file: path, file_exists: false, file_problems: [] });
    expect((await check(url, { "limits.max_traces": 800 })).before).toBe("");
    expect((await put(url, { config: { "limits.max_traces": null } })).status).toBe(200);
    expect((await describe()).file_exists).toBe(false);

    const response = await put(url, { config: { "limits.max_traces": 800 } });
    const change = (await response.json()) as ConfigChange;
    expect(change.restart_required).toEqual(["limits.max_traces"]);
    expect(change.config["limits.max_traces"]).toMatchObject({
      value: 10_000,
      source: "default",
      changed_over_http: true,
      after_restart: 800,
    });
    expect(change.config["sampling.rate"]).not.toHaveProperty("changed_over_http");
    expect(readFileSync(path, "utf8")).toBe("limits:\n  max_traces: 800\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    expect(await describe()).toMatchObject({ file_exists: true });
    const { config, sources } = load();
    expect([config["limits.max_traces"], sources["limits.max_traces"]]).toEqual([800, `${path}:2`]);
    expect(sources.config_file).toBe("default");
    expect((await put(url, { config: { "limits.max_traces": 900 } })).status).toBe(200);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("may be absent, but a file that was named must exist", () => {
    const absent = join(tmpdir(), "obspan-no-such-folder", "obspan.yaml");
    expect(loadConfig({ env: {}, defaultConfigPath: absent }).type).toBe("loaded");
    for (const given of [{ env: { OBS_SERVER_CONFIG: absent } }, { env: {}, configPath: absent }]) {
      const result = loadConfig({ ...given, defaultConfigPath: "/elsewhere" });
      expect(result).toMatchObject({ type: "refused", problems: [expect.stringContaining(absent)] });
    }
  });
});
