import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { collectorForTest, OBSPAN, type BuiltCollector } from "../harness/built-collector.js";
import { startProgram } from "../harness/child-program.js";
import { within } from "../harness/until.js";

/** Several processes start in each test. */
const TEST_MS = 120_000;

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a person types, with the settings of the collector in the environment. */
interface Terminal {
  readonly directory: string;
  readonly settings: Readonly<Record<string, string>>;
  store(...args: string[]): Promise<Run>;
  /** Like {@link store}, in a process that can write files of at most this size. */
  storeWithin(bytes: number, ...args: string[]): Promise<Run>;
  serve(): Promise<BuiltCollector>;
}

async function terminal(extra: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  const directory = mkdtempSync(join(tmpdir(), "obspan-store-command-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const settings = { PORT: String(await freePort()), TRACE_STORE_PATH: directory, ...extra };
  const env = Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [`OBS_SERVER_${key}`, value]),
  );
  async function run(command: string, args: readonly string[]): Promise<Run> {
    const program = startProgram(command, args, env);
    const { code } = await within("obspan store ends", program.exit, 60_000);
    return { code, stdout: program.stdout(), stderr: program.stderr.join("\n") };
  }
  return {
    directory,
    settings,
    store: (...args) => run(process.execPath, [OBSPAN, "store", ...args]),
    storeWithin: (bytes, ...args) =>
      run("prlimit", [`--fsize=${bytes}`, process.execPath, OBSPAN, "store", ...args]),
    serve: () => collectorForTest(settings),
  };
}

/** Sends traces with one span of a text that does not compress, and waits until they are stored. The command sees them then. */
async function fill({ store, settings }: Terminal, { url }: BuiltCollector, traces: number): Promise<void> {
  const text = (): string => Array.from({ length: 150 }, () => Math.random().toString(36).slice(2)).join("");
  const headers = { "Content-Type": "application/json", "X-API-Key": settings["AUTH_API_KEYS"] ?? "" };
  for (let from = 0; from < traces; from += 100) {
    const spans = Array.from({ length: 100 }, (_, index) => ({
      name: "call",
      trace_id: `t${from + index}`,
      duration_ms: 1,
      attributes: { note: text() },
    }));
    const answer = await fetch(`${url}/v1/telemetry`, {
      method: "POST",
      headers,
      body: JSON.stringify({ service: "shop", spans }),
    });
    expect(answer.status).toBe(202);
  }
  const stored = async (): Promise<number> =>
    ((await (await fetch(`${url}/v1/store`, { headers })).json()) as { traces: number }).traces;
  await expect.poll(stored, { timeout: 60_000 }).toBe(traces);
  expect(infoOf(await store("info", "--json"))).toMatchObject({ traces });
}

function infoOf({ stdout }: Run): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe("obspan store", () => {
  it.runIf(existsSync("/usr/bin/prlimit"))(
    "removes a backup that does not fit on the disk, and names the cause",
    async () => {
      const shell = await terminal();
      const collector = await shell.serve();
      await fill(shell, collector, 300);
      const expectNoBackup = async (): Promise<void> => {
        const { code, stderr } = await shell.storeWithin(100_000, "backup", join(shell.directory, "copy.db"));
        expect({ code, stderr }).toEqual({
          code: 1,
          stderr: expect.stringContaining("EFBIG: file too large"),
        });
        expect(readdirSync(shell.directory).filter((name) => name.startsWith("copy"))).toEqual([]);
      };
      await expectNoBackup();
      await collector.stop();
      await expectNoBackup();
      expect(infoOf(await shell.store("info", "--json"))).toMatchObject({ traces: 300 });
    },
    TEST_MS,
  );

  it(
    "looks after the file of a running collector, and of the same collector after a kill",
    async () => {
      const shell = await terminal({ AUTH_API_KEYS: "secret" });
      const collector = await shell.serve();
      await fill(shell, collector, 500);
      await fetch(`${collector.url}/v1/views/mine`, {
        method: "PUT",
        headers: { "Content-Type": "application/json", "X-API-Key": "secret" },
        body: JSON.stringify({ name: "Mine", query: "tool:x" }),
      });

      const shown = await shell.store("info");
      expect(shown.stdout).toContain(`Collector  ${collector.url}`);
      expect(shown.stdout).toContain("500 traces, 500 spans");
      expect(await shell.store("verify")).toMatchObject({ code: 0, stderr: "" });
      const copy = join(shell.directory, "copies", "of-running.db");
      expect((await shell.store("backup", copy)).code).toBe(1);
      const written = join(shell.directory, "of-running.db");
      expect(await shell.store("backup", written)).toMatchObject({ code: 0, stderr: "" });
      expect(statSync(written).mode & 0o777).toBe(0o600);
      const repeated = await shell.store("backup", written);
      expect(repeated).toMatchObject({ code: 1, stdout: "" });
      expect(repeated.stderr).toContain("exists");
      expect(infoOf(await shell.store("prune", "--older-than", "1h", "--json"))).toEqual({ pruned: 0 });

      await collector.stop("SIGKILL");
      const stopped = infoOf(await shell.store("info", "--json"));
      expect(stopped).toMatchObject({ traces: 500, url: null, directory: shell.directory });
      expect((await shell.store("verify")).stdout).toMatch(/^The file is sound: \d+ chunks checked\.\n$/);
      const second = join(shell.directory, "of-stopped.db");
      expect(await shell.store("backup", second)).toMatchObject({ code: 0 });
      expect(infoOf(await shell.store("prune", "--older-than", "0s", "--json"))).toEqual({ pruned: 500 });
      const { bytes_before: before, bytes_after: after } = infoOf(await shell.store("compact", "--json"));
      expect(Number(after)).toBeLessThan(Number(before) / 4);
      expect(infoOf(await shell.store("info", "--json"))).toMatchObject({ traces: 0, kept_since: null });
      expect(readdirSync(shell.directory).filter((name) => /partial|lock/.test(name))).toEqual([]);

      const empty = await terminal();
      expect((await shell.store("info", "--directory", empty.directory)).code).toBe(1);
      // Both copies are whole, and have the saved views.
      for (const backup of [written, second]) {
        const restored = await terminal();
        const file = join(restored.directory, "traces.db");
        copyFileSync(backup, file);
        expect(await restored.store("verify")).toMatchObject({ code: 0 });
        expect(infoOf(await restored.store("info", "--json"))).toMatchObject({ traces: 500, spans: 500 });
        const again = await restored.serve();
        expect(await (await fetch(`${again.url}/v1/views`)).text()).toContain('"id":"mine"');
        await again.stop();
      }
    },
    TEST_MS,
  );

  it(
    "says which process has the file open if its collector cannot be reached",
    async () => {
      const shell = await terminal();
      const collector = await shell.serve();
      const other = await terminal({ TRACE_STORE_PATH: shell.directory });
      const run = await other.store("info");
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toContain(`is in use by process ${collector.pid}`);
      expect(run.stderr).toContain("--url");
      expect((await other.store("info", "--url", collector.url)).code).toBe(0);
    },
    TEST_MS,
  );

  it(
    "finds damage in the file of a stopped collector, exits with 1 and leaves the file as it is",
    async () => {
      const shell = await terminal();
      const collector = await shell.serve();
      await fill(shell, collector, 500);
      await collector.stop();
      const path = join(shell.directory, "traces.db");
      const { size } = statSync(path);
      const file = openSync(path, "r+");
      for (let page = 40; page < size / 4096; page += 20) writeSync(file, "damaged", page * 4096 + 2000);
      closeSync(file);
      const run = await shell.store("verify");
      expect(run.code).toBe(1);
      expect(run.stdout).toContain("is damaged");
      expect(statSync(path).size).toBe(size);
      expect(readdirSync(shell.directory).some((name) => name.includes("corrupt"))).toBe(false);
    },
    TEST_MS,
  );

  it(
    "refuses a file with a damaged header instead of starting an empty one",
    async () => {
      const shell = await terminal();
      await (await shell.serve()).stop();
      const path = join(shell.directory, "traces.db");
      chmodSync(path, 0o600);
      const file = openSync(path, "r+");
      writeSync(file, "no database here", 0);
      closeSync(file);
      for (const args of [["info"], ["verify"], ["prune", "--older-than", "0s"]]) {
        const run = await shell.store(...args);
        expect(run).toMatchObject({ code: 1, stdout: "" });
        expect(run.stderr).toContain("damaged");
      }
      expect(readdirSync(shell.directory).some((name) => name.includes("corrupt"))).toBe(false);
    },
    TEST_MS,
  );

  it(
    "exits with 2 for bad usage, with 1 for what it cannot do, with 4 without a collector at --url",
    async () => {
      const shell = await terminal();
      for (const args of [[], ["prune"], ["prune", "--older-than", "soon"], ["backup"], ["info", "--colour"]])
        expect((await shell.store(...args)).code, args.join(" ")).toBe(2);
      const absent = await shell.store("info");
      expect(absent).toMatchObject({ code: 1, stdout: "" });
      expect(absent.stderr).toContain(`There is no trace store in ${shell.directory}`);
      expect(readdirSync(shell.directory)).toEqual([]);
      expect((await shell.store("info", "--url", "nowhere")).code).toBe(2);
      expect((await shell.store("info", "--url", "http://127.0.0.1:1")).code).toBe(4);
      const memory = await terminal({ TRACE_STORE_PATH: "none" });
      await memory.serve();
      expect((await memory.store("info")).stderr).toContain("in memory only");
      expect((await memory.store("--help")).code).toBe(0);
    },
    TEST_MS,
  );

  it(
    "says that a key is needed, and does not take another server for a collector",
    async () => {
      const shell = await terminal({ AUTH_API_KEYS: "secret" });
      const collector = await shell.serve();
      const stranger = await terminal();
      const refused = await stranger.store("info", "--url", collector.url);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("OBS_API_KEY");

      const server = createServer((_request, response) => void response.writeHead(500).end("<html>"));
      onTestFinished(() => void server.close());
      const port = Number(stranger.settings["PORT"]);
      await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
      expect((await stranger.store("info")).stderr).toContain("There is no trace store in");
      const named = await stranger.store("verify", "--url", `http://127.0.0.1:${port}`);
      expect(named.stderr).toContain("is no collector");
    },
    TEST_MS,
  );
});
