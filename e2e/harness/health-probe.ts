import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BuiltCollector } from "./built-collector.js";

/** How long answers took. */
export interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** How a collector answered /health while it was watched, fifty times a second. */
export interface HealthReport {
  readonly answered: number;
  /** Requests without an answer: the connection was closed, or none came within 5 s of the end. */
  readonly unanswered: number;
  /** As a client sees it, from when the request was due. */
  readonly seen: Latencies;
  /**
   * Without the time in which the collector was ready to go on and other processes had the cores (Linux): what is left on
   * a busy machine is what the collector does.
   */
  readonly own: Latencies;
  /** How late the probe itself was at most: what a busy machine adds to every process on it. */
  readonly probeLateMs: number;
  /** The most memory that the collector had resident. */
  readonly peakRssBytes: number;
}

/** A probe at work, in a process of its own that nothing but the machine slows. */
export interface HealthProbe {
  stop(): Promise<HealthReport>;
}

const PROGRAM = fileURLToPath(new URL("health-probe.mjs", import.meta.url));

export function startHealthProbe({ port, pid }: Pick<BuiltCollector, "port" | "pid">): HealthProbe {
  const child = spawn(process.execPath, [PROGRAM, String(port), String(pid)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text));
  const closed = once(child, "close");
  return {
    async stop() {
      child.stdin.end();
      await closed;
      return JSON.parse(output) as HealthReport;
    },
  };
}
