/**
 * `npm run start:cluster`: installs, builds and runs two collectors on one Redis and one ClickHouse, on the loopback interface. ClickHouse
 * is chDB, its engine as a library. Their data is in a temporary directory, which is removed at the end.
 *
 *   npm run start:cluster -- --port 8080 --port 8081    one collector for each port
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { ensureEngine, ENGINES } from "./engines.mjs";
import { build, ensureInstalled, hasProgram, requireNode, root } from "./project.mjs";

const DEFAULT_PORTS = ["8080", "8081"];
/** The settings of docs/guide/several-collectors.md, with less memory. */
const REDIS_SETTINGS = [
  ...["--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"],
  ...["--maxmemory", "512mb", "--maxmemory-policy", "noeviction"],
];
/** What an engine wrote last says why it ended. */
const LAST_LINES = 20;
/** A second signal within this time is a duplicate: a terminal sends it to npm and to this process. */
const SAME_SIGNAL_MS = 1000;
const LOOK_AGAIN_MS = 100;

requireNode();
const wantedPorts = portsOfCommandLine();
if (!hasProgram("redis-server"))
  fail(
    "This command needs redis-server on the PATH. On Debian and Ubuntu: apt-get install redis-server. On macOS: brew install redis.",
  );
await ensureInstalled();
if (!(await ensureEngine()))
  fail(
    "This command needs chDB, which cannot be installed on this machine. It is there for Linux and macOS.",
  );
await build();

const stopping = new AbortController();
const stopped = new Promise((resolve) => stopping.signal.addEventListener("abort", resolve));
/** The programs that run, in the order in which they were started. */
const engines = [];
const collectors = [];
process.once("exit", () => kill([...collectors, ...engines]));
// A closed terminal does not keep the programs from ending in order.
for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
let stopsSinceMs;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stopOrKill(signal));

const directory = mkdtempSync(join(tmpdir(), "obspan-cluster-"));
try {
  const urls = await startAll();
  console.log(welcome(urls));
  await stopped;
} catch (error) {
  // A signal may arrive during the start.
  if (!stopping.signal.aborted) throw error;
} finally {
  stopping.abort();
  await end(collectors);
  await end(engines);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

async function startAll() {
  const [redis, clickHouse] = await Promise.all([startRedis(), startClickHouse()]);
  const ports = [];
  for (const wanted of wantedPorts) {
    const port = await freePort(wanted);
    if (port !== wanted) console.log(`Port ${wanted} is in use. This collector gets ${port}.`);
    startCollector(port, redis, clickHouse);
    ports.push(port);
  }
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  await Promise.all(urls.map(untilReady));
  return urls;
}

async function startRedis() {
  const files = join(directory, "redis");
  mkdirSync(files);
  const port = await freePort(0);
  const options = ["--port", String(port), "--dir", files, ...REDIS_SETTINGS];
  const redis = start("Redis", "redis-server", options, engines);
  await redis.firstLine(/Ready to accept connections/);
  return `redis://127.0.0.1:${port}`;
}

async function startClickHouse() {
  const options = [join(ENGINES, "clickhouse-server.mjs"), join(directory, "clickhouse")];
  const clickHouse = start("ClickHouse", process.execPath, options, engines);
  return `http://127.0.0.1:${await clickHouse.firstLine(/^\d+$/)}`;
}

function startCollector(port, redis, clickHouse) {
  // Settings of the user count too, but for what makes these two collectors a pair on this machine.
  const options = [join(root, "collector-core/bin/obspan.js"), "serve"];
  start(`collector ${port}`, process.execPath, options, collectors, {
    ...process.env,
    OBS_SERVER_HOST: "127.0.0.1",
    OBS_SERVER_PORT: String(port),
    OBS_SERVER_QUEUE_URL: redis,
    OBS_SERVER_TRACE_STORE_ENABLED: "true",
    OBS_SERVER_TRACE_STORE_PATH: "none",
    OBS_SERVER_TRACE_STORE_URL: clickHouse,
  });
}

/**
 * Starts a program. If it ends by itself, everything else is stopped. It is in a process group of its own, so that Ctrl+C reaches this
 * script alone, which ends the programs in order. The log of a collector is shown; of an engine only what it wrote before it ended.
 */
function start(name, command, options, programs, env = process.env) {
  stopping.signal.throwIfAborted();
  // ClickHouse ends with its standard input.
  const child = spawn(command, options, { detached: true, env, stdio: "pipe" });
  const lastLines = [];
  const keep = (line) => void (lastLines.push(line) > LAST_LINES && lastLines.shift());
  const show = (line) => console.log(`${name} │ ${line}`);
  const isEngine = programs === engines;
  // What a collector prints on stdout is what welcome() says of all.
  const stdout = createInterface({ input: child.stdout }).on("line", isEngine ? keep : () => undefined);
  createInterface({ input: child.stderr }).on("line", isEngine ? keep : show);
  child.once("error", (error) => lastLines.push(error.message));
  const ended = new Promise((resolve) => child.once("close", resolve));
  programs.push({ child, ended });
  void ended.then(() => {
    if (stopping.signal.aborted) return;
    const how = child.exitCode === null ? (child.signalCode ?? "an error") : `code ${child.exitCode}`;
    const line = `${name} has ended with ${how}. Stopping the rest; Ctrl+C ends it at once.`;
    console.error([...lastLines, line].join("\n"));
    process.exitCode = 1;
    stop();
  });
  return {
    firstLine: (pattern) =>
      new Promise((resolve, reject) => {
        stdout.on("line", (line) => {
          if (!pattern.test(line)) return;
          // It has started: what it wrote until now does not say why it ends.
          lastLines.length = 0;
          resolve(line);
        });
        void stopped.then(reject);
      }),
  };
}

/** Ends programs together, and resolves when they have ended. */
async function end(programs) {
  for (const { child } of programs) child.kill("SIGTERM");
  await Promise.all(programs.map(({ ended }) => ended));
}

function kill(programs) {
  for (const { child } of programs) child.kill("SIGKILL");
}

function stop() {
  stopsSinceMs ??= performance.now();
  stopping.abort();
}

/** The first signal stops everything in order, another one at once. */
function stopOrKill(signal) {
  const isAnother = performance.now() - stopsSinceMs > SAME_SIGNAL_MS;
  if (isAnother && signal !== "SIGHUP") kill([...collectors, ...engines]);
  stop();
}

async function untilReady(url) {
  for (;;) {
    stopping.signal.throwIfAborted();
    const response = await fetch(`${url}/ready`).catch(() => undefined);
    await response?.text();
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** The port, or another one if it is in use. 0 is any. */
async function freePort(wanted) {
  const server = createServer();
  const isListening = new Promise((resolve) => {
    server.once("listening", () => resolve(true)).once("error", () => resolve(false));
  });
  server.listen(wanted, "127.0.0.1");
  if (!(await isListening)) return await freePort(0);
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function portsOfCommandLine() {
  try {
    const options = { port: { type: "string", multiple: true, default: DEFAULT_PORTS } };
    return parseArgs({ options }).values.port.map((text) => {
      if (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536) return Number(text);
      throw new Error(`--port ${text}: must be a number from 1 to 65535.`);
    });
  } catch (error) {
    return fail(error.message);
  }
}

function welcome(urls) {
  return `
  Collectors on one Redis and one ClickHouse. Each of them shows the traces of all:

${urls.map((url) => `    ${url}`).join("\n")}

  Send a first trace to one of them. Within two seconds it is in the list of each:

    curl ${urls[0]}/v1/telemetry -H 'Content-Type: application/json' -d '{"service":"demo","spans":[
      {"name":"hello","span_type":"llm","trace_id":"first","duration_ms":420,"attributes":{"model":"gpt-5-mini","prompt_text":"Hi"}}]}'

  Ctrl+C stops them, and removes their traces.
`;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
