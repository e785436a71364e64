import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ENGINE = resolve(import.meta.dirname, "../../engines");

/** A ClickHouse for tests: a server that the environment names, or the engine of chDB in a process of its own. */
export interface ClickHouseServer {
  readonly url: string;
  /** False for a server that other people use too: it is neither stopped nor paused. */
  readonly isOwn: boolean;
  signal(signal: NodeJS.Signals): void;
  /** Ends the process. What it has written to its files stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same files. */
  start(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

/** Why there is no ClickHouse; undefined if there is one. */
export function missingClickHouse(): string | undefined {
  if (serverOfEnvironment() !== undefined || existsSync(join(ENGINE, "node_modules/@chdb"))) return undefined;
  return "chDB is not installed: npm run test:engines installs it";
}

/** The name of a database that no other test has. */
export function aDatabase(): string {
  return `obspan_test_${randomBytes(6).toString("hex")}`;
}

export async function startClickHouse(): Promise<ClickHouseServer> {
  const given = serverOfEnvironment();
  if (given !== undefined) {
    const refuse = (): never => {
      throw new Error("The server of OBSPAN_TEST_CLICKHOUSE_URL is not ours to stop.");
    };
    return {
      ...{ url: given, isOwn: false, signal: refuse },
      ...{ kill: async () => refuse(), start: async () => refuse(), stop: async () => undefined },
    };
  }
  const directory = mkdtempSync(join(tmpdir(), "obspan-clickhouse-"));
  let child: ChildProcess | undefined;
  let port = "0";

  async function start(): Promise<void> {
    const started = spawn(process.execPath, [join(ENGINE, "clickhouse-server.mjs"), directory, port], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    child = started;
    process.once("exit", () => started.kill("SIGKILL"));
    port = await new Promise((listening, fail) => {
      started.stdout.once("data", (line: Buffer) => listening(line.toString().trim()));
      started.once("exit", (code, signal) =>
        fail(new Error(`The engine of ClickHouse ended with ${code ?? signal}.`)),
      );
    });
  }

  async function kill(): Promise<void> {
    const ended = child;
    child = undefined;
    if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
    const exit = new Promise((resolve) => ended.once("exit", resolve));
    ended.kill("SIGKILL");
    await exit;
  }

  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    isOwn: true,
    signal: (signal) => void child?.kill(signal),
    kill,
    start,
    async stop() {
      await kill();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function serverOfEnvironment(): string | undefined {
  // eslint-disable-next-line no-restricted-properties -- says where the tests find a server, not the collector
  return process.env["OBSPAN_TEST_CLICKHOUSE_URL"];
}
