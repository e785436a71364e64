import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import {
  collectorForTest,
  killProgram,
  OBSPAN,
  serveToItsEnd,
  type BuiltCollector,
} from "../harness/built-collector.js";
import { startProgram } from "../harness/child-program.js";
import { experimentSize, reportFinding } from "../harness/experiment.js";
import { batchOf, clientForTest, telemetry } from "../harness/http-client.js";
import { pause, until } from "../harness/until.js";

const ROUNDS = experimentSize(2, 20);
const SPANS_PER_TRACE = 10;
/** What a kill may cost, 300 ms. Generous in the tests, which share slow cores with others. */
const LOST_AT_MOST_MS = experimentSize(3000, 300);

function directoryForTest(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-kept-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

interface SqliteModule {
  readonly Database: new (path: string) => {
    exec(sql: string): void;
    all(sql: string): Record<string, unknown>[];
    close(): void;
  };
}

/** What SQLite says of a copy of the file, with its log. */
function integrityOf(directory: string): unknown {
  const copy = join(directory, "copy");
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy);
  for (const suffix of ["", "-wal"])
    if (existsSync(join(directory, `traces.db${suffix}`)))
      copyFileSync(join(directory, `traces.db${suffix}`), join(copy, `traces.db${suffix}`));
  const require = createRequire(new URL("../../collector-core/package.json", import.meta.url));
  const { Database } = require("node-sqlite3-wasm") as SqliteModule;
  const db = new Database(join(copy, "traces.db"));
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE");
    return db.all("PRAGMA integrity_check");
  } finally {
    db.close();
  }
}

interface Listed {
  readonly trace_id: string;
  readonly span_count: number;
}

async function metricOf({ url }: BuiltCollector, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.split(" ")[1],
  );
}

async function tracesOf({ url }: BuiltCollector): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const response = await fetch(`${url}/v1/traces?limit=500${cursor && `&cursor=${cursor}`}`);
    const page = (await response.json()) as { traces: Listed[]; next_cursor: string | null };
    all.push(...page.traces);
    cursor = page.next_cursor;
  }
  return all;
}

it("a killed collector has its traces again, except those of the last moments, and none twice", async () => {
  const directory = directoryForTest();
  const settings = {
    PORT: String(await freePort()),
    TRACE_STORE_PATH: directory,
    TRACE_STORE_DISK_MIN_FREE_BYTES: "0",
  };
  let collector = await collectorForTest(settings);
  const accepted = new Map<string, number>();
  let longestLossMs = 0;
  let lost = 0;

  for (let round = 0; round < ROUNDS; round++) {
    const { signal, abort } = abortable();
    const client = clientForTest(collector.url, 4);
    const sendAll = async (sender: number): Promise<void> => {
      for (let n = 0; !signal.aborted; n++) {
        const traceId = `r${round}-s${sender}-${n}`;
        const answer = await client
          .send(telemetry(batchOf(SPANS_PER_TRACE, traceId)))
          .answer.catch(() => undefined);
        if (answer?.status === 202) accepted.set(traceId, performance.now());
        await pause(2);
      }
    };
    const before = accepted.size;
    const senders = Promise.all([0, 1, 2, 3].map(sendAll));
    await until("traces are accepted", () => accepted.size > before + 400 || undefined, 60_000);
    // At any moment of the interval of commits.
    await pause((round * 137) % 211);
    collector.signal("SIGKILL");
    const killedAt = performance.now();
    abort();
    await senders;
    await collector.exit;
    expect(integrityOf(directory)).toEqual([{ integrity_check: "ok" }]);

    collector = await collectorForTest(settings);
    const traces = await tracesOf(collector);
    const found = new Set(traces.map((trace) => trace.trace_id));
    expect(found.size).toBe(traces.length);
    expect(traces.filter((trace) => trace.span_count !== SPANS_PER_TRACE)).toEqual([]);
    for (const [traceId, acceptedAt] of accepted) {
      if (found.has(traceId)) continue;
      lost++;
      longestLossMs = Math.max(longestLossMs, killedAt - acceptedAt);
      accepted.delete(traceId);
    }
  }
  reportFinding(
    20,
    `${ROUNDS} times: ${accepted.size} traces kept, ${lost} lost, accepted up to ${Math.ceil(longestLossMs)} ms before the kill`,
  );
  expect(longestLossMs).toBeLessThan(LOST_AT_MOST_MS);
  expect(await collector.stop()).toEqual({ code: 0, signal: null });
});

it("a second collector with the directory of another ends with 1 and names the file", async () => {
  const directory = directoryForTest();
  const settings = { TRACE_STORE_PATH: directory };
  const first = await collectorForTest(settings);
  const { ended, stderr } = await serveToItsEnd(settings);
  expect(ended).toEqual({ code: 1, signal: null });
  expect(stderr.join("\n")).toContain(join(directory, "traces.db"));

  // The one that has it counts what was in it when somebody removes it, and goes on with a new file.
  const client = clientForTest(first.url, 1);
  await client.send(telemetry(batchOf(SPANS_PER_TRACE, "before"))).answer;
  await until("the trace is saved", async () => (await tracesOf(first)).length === 1 || undefined);
  await until(
    "nothing is pending",
    async () => (await metricOf(first, "obs_trace_store_pending_bytes")) === 0 || undefined,
  );
  rmSync(directory, { recursive: true });
  await client.send(telemetry(batchOf(SPANS_PER_TRACE, "after"))).answer;
  const gone = 'obs_trace_store_unsaved_spans_total{reason="file_gone"}';
  await until(
    "the loss is counted",
    async () => (await metricOf(first, gone)) === SPANS_PER_TRACE || undefined,
  );
  expect((await tracesOf(first)).map((trace) => trace.trace_id)).toEqual(["after"]);
  expect(await first.stop()).toEqual({ code: 0, signal: null });
  expect(existsSync(join(directory, "traces.db"))).toBe(true);
});

it.skipIf(process.platform === "win32")(
  "a named pipe in the place of the lock ends the start at once",
  async () => {
    const directory = directoryForTest();
    const lock = join(directory, "traces.lock");
    execFileSync("mkfifo", [lock]);
    const { ended, stderr } = await serveToItsEnd({ TRACE_STORE_PATH: directory });
    expect(ended).toEqual({ code: 1, signal: null });
    expect(stderr.join("\n")).toContain(`${lock} is not a regular file. Remove it`);
  },
);

it("a second collector with the default directory keeps traces in memory and says so", async () => {
  const data = directoryForTest();
  const start = async () => {
    const program = startProgram(process.execPath, [OBSPAN, "serve", "--local"], {
      XDG_DATA_HOME: data,
      OBS_SERVER_PORT: "0",
      OBS_SERVER_HOST: "127.0.0.1",
    });
    onTestFinished(() => killProgram(program));
    const listening = /Listening on (http:\/\/[^\s"]+)/;
    const line = await until("the collector listens", () =>
      program.stderr.find((each) => listening.test(each)),
    );
    return { ...program, url: listening.exec(line)?.[1] ?? "" };
  };
  const first = await start();
  const second = await start();
  expect(second.stderr.join("\n")).toContain("Traces are kept in memory only.");
  const client = clientForTest(second.url, 1);
  expect((await client.send(telemetry(batchOf(3, "in-memory"))).answer).status).toBe(202);
  const trace = await until("the trace is there", async () => {
    const response = await fetch(`${second.url}/v1/traces/in-memory`);
    return response.status === 200 ? response.json() : undefined;
  });
  expect(trace).toMatchObject({ trace: { span_count: 3 } });
  expect(await firstStatus(second.url)).toMatchObject({
    store: { state: "degraded", reason: expect.stringContaining("in use") as string },
  });
  for (const program of [first, second]) program.signal("SIGTERM");
  expect([await first.exit, await second.exit]).toEqual([
    { code: 0, signal: null },
    { code: 0, signal: null },
  ]);
});

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** The first status that the live feed sends. */
async function firstStatus(url: string): Promise<unknown> {
  const controller = new AbortController();
  const { body } = await fetch(`${url}/v1/live`, { signal: controller.signal });
  let text = "";
  try {
    for await (const bytes of body ?? []) {
      text += Buffer.from(bytes).toString();
      const status = /^event: status\ndata: (.*)$/m.exec(text)?.[1];
      if (status !== undefined) return JSON.parse(status);
    }
  } finally {
    controller.abort();
  }
  return undefined;
}
