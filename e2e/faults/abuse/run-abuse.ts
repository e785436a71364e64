import { expect } from "vitest";
import type { BuiltCollector } from "../../harness/built-collector.js";
import { experimentSize, IS_WHOLE, reportFinding } from "../../harness/experiment.js";
import { startHealthProbe, type HealthReport } from "../../harness/health-probe.js";
import { scrape } from "../../harness/scrape.js";
import { pause, within } from "../../harness/until.js";
import { PROCESS_MEBIBYTES, STORE_MEBIBYTES, type Abuse, type AbuseContext } from "./abuse.js";
import { fillStore } from "./realistic-store.js";

const MEBIBYTE = 1024 * 1024;
/** The bars of `npm run faults`; the tests only detect a collector that hangs. */
const MAX_HEALTH_P99_MS = IS_WHOLE ? 100 : 5000;
const MAX_HEALTH_MS = IS_WHOLE ? 500 : 10_000;
const ABUSE_WITHIN_MS = 240_000;
/** Requests to /health: the p99 of `npm run faults` needs many, a collector that hangs shows in few. */
const HEALTH_INTERVAL_MS = experimentSize(100, 20);
/** Effects of an abuse may follow its last response. */
const WATCHED_ON_MS = experimentSize(300, 2000);

/** Runs an abuse against a collector while another process requests /health. Reports, then asserts. */
export async function runAbuse(abuse: Abuse, collector: BuiltCollector): Promise<void> {
  const { name, prepare, holds } = abuse;
  const earlierLines = collector.stderr.length;
  const maxRssMebibytes = await mostResidentMebibytes(collector);
  const storedTraces = experimentSize(100, 5000);
  await fillStore(collector, storedTraces);

  const statuses: Record<string, number> = {};
  const cleanUps: (() => void)[] = [];
  const context: AbuseContext = {
    collector,
    port: collector.port,
    storedTraces,
    size: experimentSize,
    note: (responses) => {
      for (const { status } of responses) {
        const shown = status === 0 ? "none" : String(status);
        statuses[shown] = (statuses[shown] ?? 0) + 1;
      }
    },
    afterwards: (cleanUp) => void cleanUps.push(cleanUp),
  };

  let health: HealthReport;
  let failure: Error | undefined;
  try {
    const act = await prepare(context);
    const probe = startHealthProbe(collector, HEALTH_INTERVAL_MS);
    try {
      await Promise.race([within(`the abuse has ended: ${name}`, act(), ABUSE_WITHIN_MS), collector.exit]);
      if (!collector.hasExited()) await pause(WATCHED_ON_MS);
    } catch (error) {
      failure = asError(error);
    } finally {
      health = await probe.stop();
    }
    if (failure === undefined && !collector.hasExited()) {
      try {
        await holds?.(context);
      } catch (error) {
        failure = asError(error);
      }
    }
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
  }

  const died = collector.hasExited();
  const heapMebibytes = died ? undefined : await heapOf(collector);
  reportFinding(19, describe(name, health, statuses, died, heapMebibytes, failure));

  expect(died, collector.stderr.slice(-5).join("\n")).toBe(false);
  if (failure !== undefined) throw failure;
  expect(health.answered).toBeGreaterThan(0);
  expect(Math.round(health.own.p99Ms)).toBeLessThanOrEqual(MAX_HEALTH_P99_MS);
  expect(Math.round(health.own.maxMs)).toBeLessThanOrEqual(MAX_HEALTH_MS);
  expect(Math.round(health.peakRssBytes / MEBIBYTE)).toBeLessThanOrEqual(maxRssMebibytes);
  expect(collector.stderr.slice(earlierLines).filter((line) => / (ERROR|CRITICAL) /.test(line))).toEqual([]);
}

/** The sum of the documented bounds, for a collector whose ingestion queue is nearly empty. */
async function mostResidentMebibytes(collector: BuiltCollector): Promise<number> {
  const inFlightBytes = (await scrape(collector.url)).value("obs_in_flight_limit_bytes");
  return STORE_MEBIBYTES + Math.ceil(inFlightBytes / MEBIBYTE) + PROCESS_MEBIBYTES;
}

async function heapOf(collector: BuiltCollector): Promise<number | undefined> {
  try {
    return Math.round((await scrape(collector.url)).value("nodejs_heap_size_used_bytes") / MEBIBYTE);
  } catch {
    return undefined;
  }
}

function describe(
  name: string,
  health: HealthReport,
  statuses: Readonly<Record<string, number>>,
  died: boolean,
  heapMebibytes: number | undefined,
  failure: Error | undefined,
): string {
  const ms = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return [
    ...(health.answered === 0
      ? [`${name}: /health never answered`]
      : [
          `${name}: /health p50 ${ms(health.own.p50Ms)}, p99 ${ms(health.own.p99Ms)}, max ${ms(health.own.maxMs)} ms`,
          `including waits for a core ${ms(health.seen.p50Ms)}, ${ms(health.seen.p99Ms)}, ${ms(health.seen.maxMs)} ms`,
        ]),
    ...(health.unanswered > 0 ? [`${health.unanswered} unanswered`] : []),
    `RSS ${Math.round(health.peakRssBytes / MEBIBYTE)} MiB`,
    died ? "DIED" : `heap ${heapMebibytes ?? "?"} MiB`,
    ...(counts.length > 0 ? [`responses ${counts.join(", ")}`] : []),
    `probe delayed by ${ms(health.probeLateMs)} ms`,
    ...(failure === undefined ? [] : [`FAILED: ${failure.message.split("\n")[0] ?? ""}`]),
  ].join("; ");
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
