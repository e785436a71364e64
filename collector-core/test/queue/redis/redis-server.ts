import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../free-port.js";

const run = promisify(execFile);

/** A real Redis on a free port of this machine. */
export interface RedisServer {
  readonly url: string;
  /** Runs a command with redis-cli, and returns its lines. */
  command(...args: readonly string[]): Promise<string[]>;
  signal(signal: NodeJS.Signals): void;
  /** Ends the process. What it has written to its file stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same file. */
  start(): Promise<void>;
  /** Ends it and removes its file. */
  stop(): Promise<void>;
}

/** The server that the environment names for the tests: it is emptied, but neither stopped nor configured. */
export function redisOfEnvironment(): string | undefined {
  // eslint-disable-next-line no-restricted-properties -- says where the tests find a server, not the collector
  return process.env["OBSPAN_TEST_REDIS_URL"];
}

/** @param settings - options of the command line. With none, the server of the environment is used if there is one. */
export async function startRedisServer(...settings: readonly string[]): Promise<RedisServer> {
  const given = redisOfEnvironment();
  if (given !== undefined && settings.length === 0) return givenServer(given);
  const directory = mkdtempSync(join(tmpdir(), "obspan-redis-"));
  const port = await freePort();
  const password = settings[settings.indexOf("--requirepass") + 1] ?? "";
  const env = { ...process.env, ...(settings.includes("--requirepass") ? { REDISCLI_AUTH: password } : {}) };
  let child: ChildProcess | undefined;

  async function command(...args: readonly string[]): Promise<string[]> {
    const { stdout } = await run("redis-cli", ["-p", String(port), ...args], { env });
    return stdout.trimEnd().split("\n");
  }

  async function start(): Promise<void> {
    const files = ["--dir", directory, "--save", "", "--appendonly", "yes", "--appendfsync", "always"];
    const started = spawn(
      "redis-server",
      ["--port", String(port), "--bind", "127.0.0.1", ...files, ...settings],
      {
        stdio: "ignore",
      },
    );
    child = started;
    process.once("exit", () => started.kill("SIGKILL"));
    for (;;) {
      if (started.exitCode !== null) throw new Error(`redis-server ended with ${started.exitCode}.`);
      const answer = await command("PING").catch(() => []);
      if (answer[0] === "PONG") return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async function kill(): Promise<void> {
    const ended = child;
    child = undefined;
    if (ended === undefined || ended.exitCode !== null) return;
    const exit = new Promise((resolve) => ended.once("exit", resolve));
    ended.kill("SIGKILL");
    await exit;
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    command,
    signal: (signal) => void child?.kill(signal),
    kill,
    start,
    async stop() {
      await kill();
      rmSync(directory, { recursive: true });
    },
  };
}

function givenServer(url: string): RedisServer {
  const refuse = (): never => {
    throw new Error("The server of OBSPAN_TEST_REDIS_URL is not ours to stop.");
  };
  return {
    url,
    async command(...args) {
      const { stdout } = await run("redis-cli", ["-u", url, ...args]);
      return stdout.trimEnd().split("\n");
    },
    signal: refuse,
    kill: async () => refuse(),
    start: async () => refuse(),
    stop: async () => undefined,
  };
}
