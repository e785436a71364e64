import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../collector-core/test/free-port.js";
import { collectorForTest, OBSPAN, serveToItsEnd } from "../harness/built-collector.js";
import { experimentSize, reportFinding, seconds } from "../harness/experiment.js";
import { runProgram, type CommandResult } from "../harness/shell.js";

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-e2e-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

function obspan(args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> {
  return runProgram(process.execPath, [OBSPAN, ...args], { env });
}

it("exits with a code when a port is in use, and names the port and the remedy", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === "object" && address !== null ? String(address.port) : "";

  const startedAt = performance.now();
  const { ended, stderr, stdout } = await serveToItsEnd({ PORT: port });
  const tookMs = performance.now() - startedAt;
  reportFinding(11, `ended after ${seconds(tookMs)}, with the port and the remedy`);
  expect(tookMs).toBeLessThan(experimentSize(20_000, 2000));
  expect(ended).toEqual({ code: 1, signal: null });
  expect(stderr).toHaveLength(1);
  expect(stderr[0]).toMatch(/ CRITICAL /);
  expect(stderr[0]).toContain(`port ${port} of 127.0.0.1 is in use`);
  expect(stderr[0]).toContain("set OBS_SERVER_PORT");
  expect(stdout()).toBe("");
});

it("does not affect the first collector on the same port", async () => {
  const first = await collectorForTest();
  const { ended } = await serveToItsEnd({ PORT: String(first.port) });
  expect(ended.code).toBe(1);
  expect((await fetch(`${first.url}/ready`)).status).toBe(200);
});

it("spec 8: lists every configuration problem, one a line, and starts nothing", async () => {
  const port = await freePort();
  const { ended, stderr, stdout } = await serveToItsEnd({
    PORT: String(port),
    LIMITS_MAX_QUEUE_SIZE: "0",
    LIMITS_MAX_TRACES: "500001",
    HISTOGRAMS_DURATION_BUCKETS: "1,0.5",
    SAMPLING_RATE: "1.5",
    BACKPRESSURE_SOFT_LIMIT_PCT: "95",
    SHUTDOWN_GRACE_PERIOD_SECONDS: "-1",
    LOGGING_LEVEL: "LOUD",
  });
  expect(ended).toEqual({ code: 1, signal: null });
  const [header, ...problems] = stderr;
  expect(header).toBe("obspan cannot start: its configuration has 7 problems:");
  const expected = [
    ["limits.max_queue_size = 0", "OBS_SERVER_LIMITS_MAX_QUEUE_SIZE"],
    ["limits.max_traces = 500001", "OBS_SERVER_LIMITS_MAX_TRACES"],
    ["histograms.duration_buckets = ", "OBS_SERVER_HISTOGRAMS_DURATION_BUCKETS"],
    ["sampling.rate = 1.5", "OBS_SERVER_SAMPLING_RATE"],
    ["backpressure.soft_limit_pct = 95", "OBS_SERVER_BACKPRESSURE_SOFT_LIMIT_PCT"],
    ["shutdown.grace_period_seconds = -1", "OBS_SERVER_SHUTDOWN_GRACE_PERIOD_SECONDS"],
    ["logging.level = LOUD", "OBS_SERVER_LOGGING_LEVEL"],
  ] as const;
  expect(problems).toHaveLength(expected.length);
  for (const [value, source] of expected) {
    const line = problems.find((each) => each.includes(value));
    expect(line, value).toContain(source);
  }
  expect(stdout()).toBe("");
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});

it("warns of an unknown key with the nearest known name, and starts", async () => {
  const directory = temporaryDirectory();
  const file = join(directory, "collector.yaml");
  writeFileSync(file, "limits:\n  max_trace: 5\nsampling:\n  rate: 0.5\n");
  const collector = await collectorForTest({ CONFIG: file, LIMITS_MAX_QEUE_SIZE: "9" });

  const warnings = collector.stderr.filter((line) => / WARNING +config /.test(line));
  expect(warnings).toHaveLength(2);
  const all = warnings.join("\n");
  expect(all).toContain(`"limits.max_trace" (${file}:2) (did you mean "limits.max_traces"?)`);
  expect(all).toContain('OBS_SERVER_LIMITS_MAX_QEUE_SIZE (did you mean "OBS_SERVER_LIMITS_MAX_QUEUE_SIZE"?)');
  expect((await fetch(`${collector.url}/ready`)).status).toBe(200);
});

it("spec 2.6: prefers the environment over the YAML file and the file over the default, and shows the sources", async () => {
  const file = join(temporaryDirectory(), "collector.yaml");
  writeFileSync(file, "limits:\n  max_traces: 5\n  max_queue_size: 6\n");
  const { url } = await collectorForTest({ CONFIG: file, LIMITS_MAX_QUEUE_SIZE: "7" });
  const config = await (await fetch(`${url}/v1/config`)).text();
  for (const source of [`${file}:2`, "OBS_SERVER_LIMITS_MAX_QUEUE_SIZE", '"default"']) {
    expect(config).toContain(source);
  }
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toMatch(/^obs_queue_capacity 7$/m);
});

it("check-config prints the configuration and starts nothing", async () => {
  const port = await freePort();
  const { code, stdout, stderr } = await obspan(["check-config"], {
    OBS_SERVER_PORT: String(port),
    OBS_SERVER_HOST: "127.0.0.1",
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("The configuration is valid.");
  expect(stdout).toContain(`server.port = ${port} (OBS_SERVER_PORT)`);
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});

it("check-config refuses what serve refuses, with the same messages", async () => {
  const broken = { OBS_SERVER_LIMITS_MAX_TRACES: "many", OBS_SERVER_SAMPLING_RATE: "-1" };
  const checked = await obspan(["check-config"], broken);
  const served = await obspan(["serve"], broken);
  expect([checked.code, served.code]).toEqual([1, 1]);
  const problems = (text: string): string[] => text.split("\n").slice(1);
  expect(problems(checked.stderr)).toEqual(problems(served.stderr));
  expect(problems(checked.stderr)).toHaveLength(3);
});

it("version prints the version of /health", async () => {
  const { url } = await collectorForTest();
  const { version } = (await (await fetch(`${url}/health`)).json()) as { version: string };
  const { code, stdout } = await obspan(["version"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `obspan ${version} (Node.js ${process.version})\n` });
});

it("spec 2.6: mirrors every line of stderr in the log file, including the ledger", async () => {
  const file = join(temporaryDirectory(), "collector.log");
  writeFileSync(file, "a line from before\n");
  const collector = await collectorForTest({ LOGGING_LOG_FILE: file, LOGGING_STRUCTURED: "true" });
  await fetch(`${collector.url}/health`);
  await collector.stop();
  expect(readFileSync(file, "utf8")).toBe(["a line from before", ...collector.stderr, ""].join("\n"));
  expect(collector.lastLedger()).toMatchObject({ received: 0 });
});

it("warns once when it listens beyond this machine", async () => {
  const collector = await collectorForTest({ HOST: "0.0.0.0" });
  await collector.logged(/WARNING .*OBS_SERVER_HOST=127\.0\.0\.1/);
  await collector.stop();
  expect(collector.stderr.filter((line) => line.includes("WARNING"))).toHaveLength(1);
});

it("names the remedy when the command is not built", async () => {
  const packageDirectory = join(temporaryDirectory(), "collector-core");
  mkdirSync(join(packageDirectory, "bin"), { recursive: true });
  cpSync(OBSPAN, join(packageDirectory, "bin/obspan.js"));
  cpSync(join(OBSPAN, "../../package.json"), join(packageDirectory, "package.json"));

  const unbuilt = join(packageDirectory, "bin/obspan.js");
  expect(await runProgram(process.execPath, [unbuilt, "serve"])).toEqual({
    code: 1,
    stdout: "",
    stderr: "obspan is not built yet: run `npm run build`.\n",
  });
});
