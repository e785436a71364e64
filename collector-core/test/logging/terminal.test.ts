import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const OBSPAN = fileURLToPath(new URL("../../bin/obspan.js", import.meta.url));
const ENV = { PATH: process.env["PATH"], OBS_SERVER_PORT: "0", OBS_SERVER_HOST: "127.0.0.1" };

/** `obspan` with a stdout that takes nothing. */
function run(args: readonly string[], stdout: "pipe" | number, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [OBSPAN, ...args], {
    env: { ...ENV, ...env },
    stdio: ["ignore", stdout, "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return {
    child,
    stderr: () => stderr,
    exit: new Promise<number | string | null>((resolve) =>
      child.once("exit", (code, signal) => resolve(signal ?? code)),
    ),
    logged: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (stderr.includes(text)) resolve();
        };
        child.stderr?.on("data", look);
        child.once("exit", () => reject(new Error(`ended:\n${stderr}`)));
        look();
      }),
  };
}

/** Where a test may look after the collector is up. */
async function answersHealth(stderr: string): Promise<void> {
  const url = /Listening on (\S+)/.exec(stderr)?.[1] ?? "";
  expect((await fetch(`${url}/health`)).status).toBe(200);
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  child.kill(signal);
}

describe("obspan serve without its terminal", () => {
  it("starts, and ends with its ledger, if the reader of stdout is gone (EPIPE)", async () => {
    const { child, stderr, logged, exit } = run(["serve"], "pipe");
    child.stdout?.destroy();
    await logged("Listening on");
    await answersHealth(stderr());
    end(child, "SIGTERM");
    expect(await exit).toBe(0);
    expect(stderr()).toContain("Ledger");
    expect(stderr()).not.toContain("CRITICAL");
  });

  it.runIf(existsSync("/dev/full"))("starts where stdout is full (ENOSPC)", async () => {
    const full = openSync("/dev/full", "w");
    const { child, stderr, logged, exit } = run(["serve"], full);
    closeSync(full);
    await logged("Listening on");
    await answersHealth(stderr());
    end(child, "SIGTERM");
    expect(await exit).toBe(0);
    expect(stderr()).not.toContain("CRITICAL");
  });

  it("drains and writes its ledger on SIGHUP, as on SIGTERM", async () => {
    const { child, stderr, logged, exit } = run(["serve"], "pipe");
    await logged("Listening on");
    end(child, "SIGHUP");
    expect(await exit).toBe(0);
    expect(stderr()).toContain("Stopping: SIGHUP");
    expect(stderr().trimEnd().split("\n").at(-1)).toContain("Ledger");
  });

  it("writes its ledger to the log file on SIGHUP after stderr is gone", async () => {
    const directory = mkdtempSync(join(tmpdir(), "obspan-hangup-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const logFile = join(directory, "obspan.log");
    const { child, logged, exit } = run(["serve"], "pipe", { OBS_SERVER_LOGGING_LOG_FILE: logFile });
    await logged("Listening on");
    child.stderr?.destroy();
    child.stdout?.destroy();
    end(child, "SIGHUP");
    expect(await exit).toBe(0);
    const { readFileSync } = await import("node:fs");
    expect(readFileSync(logFile, "utf8").trimEnd().split("\n").at(-1)).toContain("Ledger");
  });
});

describe("the commands that print", () => {
  it.runIf(existsSync("/dev/full")).each([["version"], ["check-config"], ["serve", "--help"]])(
    "obspan %s does not end with a stack where stdout is full",
    async (...args) => {
      const full = openSync("/dev/full", "w");
      const { stderr, exit } = run(args, full);
      closeSync(full);
      expect(await exit).toBe(1);
      expect(stderr()).not.toContain("\n    at ");
      expect(stderr()).toContain("ENOSPC");
    },
  );
});
