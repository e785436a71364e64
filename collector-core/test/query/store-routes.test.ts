import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { StoreInfo } from "../../src/api-schema/store.js";
import { runAtOnce } from "../../src/runtime/steps.js";
import { verify } from "../../src/store/sqlite/maintenance/verify.js";
import { openTraceFile } from "../../src/store/sqlite/open-trace-file.js";
import {
  errorOf,
  sharedCollector,
  span,
  startCollector,
  type RunningCollector,
} from "../running-collector.js";

/** Far more than a test needs. */
const TEST_MS = 60_000;

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-store-routes-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

interface OnDisk extends RunningCollector {
  readonly directory: string;
  task(name: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Stores traces, each with one span of some text that does not compress. */
  fill(traces: number, textLength?: number): Promise<void>;
}

async function onDisk(settings: Record<string, string> = {}): Promise<OnDisk> {
  const directory = temporaryDirectory();
  return withTasks(await startCollector({ TRACE_STORE_PATH: directory, ...settings }), directory);
}

function withTasks(running: RunningCollector, directory: string): OnDisk {
  let filled = 0;
  return {
    ...running,
    directory,
    task: (name, body, headers = {}) =>
      fetch(`${running.url}/v1/store/${name}`, {
        method: "POST",
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
        headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...headers },
      }),
    async fill(traces, textLength = 10) {
      for (let left = traces; left > 0; left -= 100) {
        const spans = Array.from({ length: Math.min(left, 100) }, () =>
          span({ trace_id: `t${filled++}`, attributes: { note: noise(textLength) } }),
        );
        const answer = await running.post({ service: "s", spans });
        expect(answer.status).toBe(202);
        await answer.text();
        await running.settled();
      }
    },
  };
}

const noise = (length: number): string => randomBytes(length).toString("base64").slice(0, length);

function reopened(bytes: Uint8Array): { traces: unknown; problems: readonly string[] } {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "traces.db"), bytes);
  const file = openTraceFile(directory, { createdAtMs: 0, onEvent: ({ type }) => expect(type).toBe("") });
  try {
    const traces = file.db.prepare("SELECT count(*) AS n FROM trace").get()?.["n"];
    return { traces, problems: runAtOnce(verify(file, { isWhole: true })).problems };
  } finally {
    file.close();
  }
}

describe("GET /v1/store", () => {
  it("tells what is kept where, since when and within which limits", async () => {
    const { get, fill, directory } = await onDisk({ TRACE_STORE_TTL_SECONDS: "3600" });
    await fill(7);
    const info = await get<StoreInfo>("/v1/store");
    expect(info).toMatchObject({
      directory,
      state: "ok",
      reason: null,
      traces: 7,
      spans: 7,
      ttl_seconds: 3600,
      max_traces: null,
      disk_max_bytes: 10 * 2 ** 30,
      format_version: 4,
      version: "0.0.0-test",
      task: null,
      rebuild_progress: null,
    });
    const sizes = (): number[] =>
      ["traces.db", "traces.db-wal", "traces.reserve"].map(
        (name) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0,
      );
    // The reserve grows each second.
    await vi.waitUntil(
      async () => {
        const { disk_bytes: bytes } = await get<StoreInfo>("/v1/store");
        return bytes === sizes().reduce((sum, size) => sum + size);
      },
      { timeout: TEST_MS },
    );
    expect(Math.abs(Date.parse(info.kept_since ?? "") - Date.now())).toBeLessThan(TEST_MS);
    expect(info.free_bytes).toBeGreaterThan(0);
  });

  it("tells the size on disk that the metrics tell, with the write-ahead log", async () => {
    const { get, fill, metric } = await onDisk();
    await fill(7);
    await vi.waitUntil(
      async () => {
        const { disk_bytes: bytes, log_bytes: logBytes } = await get<StoreInfo>("/v1/store");
        return logBytes > 0 && bytes === (await metric("obs_trace_store_disk_bytes"));
      },
      { timeout: TEST_MS },
    );
  });

  it("answers 404 where traces are in memory only, and where the store is off", async () => {
    const memory = await startCollector();
    const disabled = await startCollector({ TRACE_STORE_ENABLED: "false" });
    for (const path of ["/v1/store", "/v1/store/backup"]) {
      expect(await errorOf(await fetch(memory.url + path))).toMatchObject({
        status: 404,
        code: "trace_store_in_memory",
      });
      expect(await errorOf(await fetch(disabled.url + path))).toMatchObject({
        status: 404,
        code: "trace_store_disabled",
      });
    }
    const answer = await fetch(`${memory.url}/v1/store/verify`, { method: "POST" });
    expect(await errorOf(answer)).toMatchObject({ status: 404, code: "trace_store_in_memory" });
  });

  it("is refused without a key, and to clients behind a proxy where there are no keys", async () => {
    const keyed = await onDisk({ AUTH_API_KEYS: "secret" });
    expect((await fetch(`${keyed.url}/v1/store`)).status).toBe(401);
    const withKey = { headers: { "X-API-Key": "secret", "X-Forwarded-For": "203.0.113.9" } };
    expect((await fetch(`${keyed.url}/v1/store`, withKey)).status).toBe(200);
    const open = await onDisk();
    const proxied = { "X-Forwarded-For": "203.0.113.9" };
    for (const answer of [
      await fetch(`${open.url}/v1/store`, { headers: proxied }),
      await fetch(`${open.url}/v1/store/backup`, { headers: proxied }),
      await open.task("prune", { older_than_seconds: 0 }, proxied),
    ])
      expect(await errorOf(answer)).toMatchObject({ status: 403, code: "loopback_only" });
  });

  it("documents trace_store_unavailable for each route that documents trace_store_disabled", async () => {
    const { get } = await startCollector();
    const { paths } = await get<{ paths: Record<string, Record<string, { responses: object }>> }>(
      "/openapi.json",
    );
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({
        name: `${method} ${path}`,
        text: JSON.stringify(responses),
      })),
    );
    const asking = operations.filter(({ text }) => text.includes('"trace_store_disabled"'));
    expect(asking.length).toBeGreaterThan(10);
    for (const { name, text } of asking) expect(text, name).toContain('"trace_store_unavailable"');
  });
});

describe("POST /v1/store/prune", () => {
  it("removes the traces without a span for that time, and counts them as pruned", async () => {
    const { task, fill, get, metric } = await onDisk();
    await fill(1200);
    expect(await (await task("prune", { older_than_seconds: 3600 })).json()).toEqual({ pruned: 0 });
    expect(await (await task("prune", { older_than_seconds: 0 })).json()).toEqual({ pruned: 1200 });
    expect(await get("/v1/store")).toMatchObject({ traces: 0, spans: 0, kept_since: null });
    expect(await get("/v1/traces")).toMatchObject({ traces: [] });
    expect(await metric('obs_trace_store_evicted_total{reason="pruned"}')).toBe(1200);
  });

  const sharedDirectory = mkdtempSync(join(tmpdir(), "obspan-store-routes-"));
  afterAll(() => rmSync(sharedDirectory, { recursive: true, force: true }));
  const shared = sharedCollector({ TRACE_STORE_PATH: sharedDirectory });

  it.each([
    ["", "invalid_json"],
    ["null", "invalid_payload"],
    ["[]", "invalid_payload"],
    ["{}", "invalid_payload"],
    ["{", "invalid_json"],
    ['{"older_than_seconds":"0"}', "invalid_payload"],
    ['{"older_than_seconds":-1}', "invalid_payload"],
    ['{"older_than_seconds":1e400}', "invalid_payload"],
    ['{"older_than_seconds":null}', "invalid_payload"],
    ['{"older_than_seconds":0,"all":true}', "invalid_payload"],
    [`{"older_than_seconds":0,"__proto__":{"older_than_seconds":1}}`, "invalid_payload"],
    ["[".repeat(8000), "invalid_payload"],
    [`"${"a".repeat(20_000)}"`, "body_too_large"],
  ])("refuses the body number %# and removes nothing", async (body, code) => {
    const { task, fill, get } = withTasks(await shared(), sharedDirectory);
    await fill(1);
    expect(await errorOf(await task("prune", body))).toMatchObject({ code });
    expect(await get("/v1/store")).toMatchObject({ traces: 1 });
  });
});

describe("POST /v1/store/compact", () => {
  it("gives the space of pruned traces back to the file system", async () => {
    const { task, fill, directory, get } = await onDisk();
    await fill(500, 2000);
    await task("prune", { older_than_seconds: 0 });
    const { bytes_before: before, bytes_after: after } = (await (await task("compact")).json()) as {
      bytes_before: number;
      bytes_after: number;
    };
    expect(before).toBeGreaterThan(500_000);
    expect(after).toBeLessThan(before / 4);
    expect(statSync(join(directory, "traces.db")).size).toBe(after);
    expect(await get("/v1/store")).toMatchObject({ reusable_bytes: 0 });
  });
});

describe("POST /v1/store/verify", () => {
  it("checks every chunk while spans are stored", async () => {
    const { task, fill, get } = await onDisk();
    await fill(500, 2000);
    const verified = task("verify");
    await fill(100, 2000);
    const { chunks, ...rest } = (await (await verified).json()) as { chunks: number };
    expect(chunks).toBeGreaterThan(10);
    expect(rest).toEqual({ damaged_chunks: 0, problems: [] });
    expect(await get("/v1/store")).toMatchObject({ traces: 600, task: null });
  });
});

describe("GET /v1/store/backup", () => {
  it("copies the file as it was at the start while spans are stored", async () => {
    const { url, fill, get } = await onDisk();
    await fill(400, 3000);
    const answer = await fetch(`${url}/v1/store/backup`);
    await fill(100, 3000);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    expect(answer.headers.get("content-length")).toBe(String(bytes.length));
    expect(reopened(bytes)).toEqual({ traces: 400, problems: [] });
    expect(await get("/v1/store")).toMatchObject({ traces: 500, task: null });
  });

  it(
    "lets one task run at a time, and the next after a reader that leaves",
    async () => {
      const { url, task, fill, get } = await onDisk();
      // More than the buffers of a connection hold.
      await fill(600, 20_000);
      const leaver = new AbortController();
      const first = await fetch(`${url}/v1/store/backup`, { signal: leaver.signal });
      expect(first.status).toBe(200);
      expect(await get("/v1/store")).toMatchObject({ task: "backup" });
      const refused = await errorOf(await fetch(`${url}/v1/store/backup`));
      expect(refused).toMatchObject({ status: 409, code: "store_busy", details: { task: "backup" } });
      expect((await task("compact")).status).toBe(409);
      leaver.abort();
      await expect
        .poll(async () => (await get<StoreInfo>("/v1/store")).task, { timeout: TEST_MS })
        .toBe(null);
      expect((await task("verify")).status).toBe(200);
    },
    TEST_MS,
  );

  it("does not begin for a HEAD request", async () => {
    const { url, get, directory } = await onDisk();
    const answer = await fetch(`${url}/v1/store/backup`, { method: "HEAD" });
    expect(answer.status).toBe(405);
    expect(await get("/v1/store")).toMatchObject({ task: null });
    expect(readdirSync(directory).some((name) => name.endsWith(".partial"))).toBe(false);
    expect(existsSync(join(directory, "traces.db"))).toBe(true);
  });
});
