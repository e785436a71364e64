import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BuiltCollector } from "./built-collector.js";

/** Latencies of responses. */
export interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** How a collector answered /health. */
export interface HealthReport {
  readonly answered: number;
  /** Requests without a response: the connection closed, or 5 s had passed at the end. */
  readonly unanswered: number;
  /** As a client sees it, from the time the request was due. */
  readonly seen: Latencies;
  /**
   * Without the time in which the collector waited for a core (Linux): the collector's own share of the latency on a busy
   * machine.
   */
  readonly own: Latencies;
  /** Largest delay of the probe itself, caused by a busy machine. */
  readonly probeLateMs: number;
  /** Largest resident memory of the collector. */
  readonly peakRssBytes: number;
}

/** A running probe, in its own process. */
export interface HealthProbe {
  stop(): Promise<HealthReport>;
}

const PROGRAM = fileURLToPath(new URL("health-probe.mjs", import.meta.url));

/** Starts to request /health, every `intervalMs` milliseconds. */
export function startHealthProbe(
  { port, pid }: Pick<BuiltCollector, "port" | "pid">,
  intervalMs: number,
): HealthProbe {
  const child = spawn(process.execPath, [PROGRAM, ...[port, pid, intervalMs].map(String)], {
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
