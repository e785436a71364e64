import { fork, type ChildProcess } from "node:child_process";
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

/** A running probe. */
export interface HealthProbe {
  stop(): Promise<HealthReport>;
}

const PROGRAM = fileURLToPath(new URL("health-probe.mjs", import.meta.url));
/** One process for all probes of a worker, which follow each other: a start takes longer than most of them. */
let program: ChildProcess | undefined;

/** Starts to request /health from another process, every `intervalMs` milliseconds. */
export function startHealthProbe(
  { port, pid }: Pick<BuiltCollector, "port" | "pid">,
  intervalMs: number,
): HealthProbe {
  const prober = (program ??= startProgram());
  prober.send({ port, pid, intervalMs });
  return {
    async stop() {
      const report = once(prober, "message");
      prober.send("stop");
      return ((await report) as [HealthReport])[0];
    },
  };
}

/** Ends with this process, whose end it does not keep waiting. */
function startProgram(): ChildProcess {
  const child = fork(PROGRAM, { execArgv: [] });
  child.unref();
  child.channel?.unref();
  return child;
}
