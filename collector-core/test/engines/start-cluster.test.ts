import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import type { TraceList } from "../../src/api-schema/trace.js";
import { freePort } from "../free-port.js";

const COMMAND = resolve(import.meta.dirname, "../../../scripts/start-cluster.mjs");
/** It builds what has changed, and starts four programs on a busy machine. */
const START_WITHIN_MS = 240_000;
const WITHIN_MS = 60_000;

interface Cluster {
  readonly lines: readonly string[];
  /** The addresses that it prints, once it has printed all it says at its start. */
  readonly urls: readonly string[];
  /** The process ids of its programs, Redis and ClickHouse first. */
  readonly programs: readonly number[];
  /** What is left in its temporary directory. */
  readonly files: () => string[];
  readonly exit: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
}

/** Runs the command of `npm run start:cluster` as a user would, with ports of its own. */
async function startCluster(ports: readonly number[]): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), "obspan-start-cluster-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const child = spawn(process.execPath, [COMMAND, ...ports.map((port) => `--port=${port}`)], {
    // eslint-disable-next-line no-restricted-properties -- the environment of the user, not of the collector
    env: { ...process.env, TMPDIR: directory, OBS_SERVER_PORT: "1", OBS_SERVER_HOST: "0.0.0.0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exit;
  });
  const lines: string[] = [];
  for (const output of [child.stdout, child.stderr])
    createInterface({ input: output }).on("line", (line) => void lines.push(line));
  const isOver = (): boolean => child.exitCode !== null || lines.some((line) => /Ctrl\+C/.test(line));
  await expect.poll(isOver, { timeout: START_WITHIN_MS }).toBe(true);
  expect(child.exitCode, lines.join("\n")).toBe(null);
  return {
    lines,
    urls: lines.flatMap((line) => /^ {4}(http:\S+)$/.exec(line)?.[1] ?? []),
    programs: childrenOf(child.pid),
    files: () => readdirSync(directory).filter((name) => name.startsWith("obspan-cluster-")),
    exit,
    signal: (signal) => void child.kill(signal),
  };
}

function childrenOf(parent: number | undefined): number[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const processes = rows.map((row) => row.trim().split(/\s+/).map(Number));
  return processes.flatMap(([pid = 0, itsParent]) => (itsParent === parent ? [pid] : []));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function listOf(url: string): Promise<string[]> {
  const response = await fetch(`${url}/v1/traces`);
  const { traces } = (await response.json()) as TraceList;
  return traces.map(({ trace_id }) => trace_id);
}

it("npm run start:cluster shows a trace that one collector took in the lists of both, and SIGINT leaves nothing behind", async () => {
  const ports = [await freePort(), await freePort()];
  const { lines, urls, programs, files, exit, signal } = await startCluster(ports);
  expect(urls).toEqual(ports.map((port) => `http://127.0.0.1:${port}`));
  expect(programs).toHaveLength(4);
  expect(files()).toHaveLength(1);

  const example = lines.join("\n");
  const [, address = "", body = ""] = /curl (\S+) [^\n]* -d '([^']*)'/s.exec(example) ?? [];
  const sent = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body,
  });
  expect(sent.status).toBe(202);
  for (const url of urls) await expect.poll(() => listOf(url), { timeout: WITHIN_MS }).toEqual(["first"]);

  signal("SIGINT");
  expect(await exit).toBe(0);
  for (const port of ports)
    expect(lines.filter((line) => line.startsWith(`collector ${port} │ `)).at(-1)).toMatch(/ Ledger /);
  expect(programs.filter(isRunning)).toEqual([]);
  expect(files()).toEqual([]);
});

it("npm run start:cluster takes another port where one is in use, and says which program ended and stops the rest", async () => {
  const [taken, free] = [await freePort(), await freePort()];
  const other = createServer();
  await new Promise<void>((listening) => void other.listen(taken, "127.0.0.1", listening));
  onTestFinished(() => void other.close());
  const { lines, urls, programs, files, exit } = await startCluster([taken, free]);
  expect(lines.join("\n")).toMatch(new RegExp(`Port ${taken} is in use\\. This collector gets \\d+\\.`));
  expect(urls[1]).toBe(`http://127.0.0.1:${free}`);
  expect(await listOf(urls[0] ?? "")).toEqual([]);

  process.kill(programs[0] ?? 0, "SIGKILL");
  expect(await exit).toBe(1);
  expect(lines.join("\n")).toMatch(/^(?:Redis|ClickHouse) has ended with SIGKILL\. Stopping the rest;/m);
  expect(programs.filter(isRunning)).toEqual([]);
  expect(files()).toEqual([]);
});
