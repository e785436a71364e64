import { expect } from "vitest";
import { until } from "./until.js";
import { scrape, type Scrape } from "./scrape.js";

/** The ledger of contract 4, read from the log or from /metrics. */
export interface SpanLedger {
  readonly received: number;
  readonly accepted: number;
  readonly processed: number;
  readonly queued: number;
  readonly inFlight: number;
  /** By reason. */
  readonly rejected: Readonly<Record<string, number>>;
  readonly dropped: Readonly<Record<string, number>>;
}

/** The ledger as the last line of the log, with the fields of a structured line (spec 2.6). */
export interface LedgerLine extends SpanLedger {
  /** The whole record of a structured line; empty for a plain one. */
  readonly record: Readonly<Record<string, unknown>>;
}

/**
 * Reads the last line of the log, plain or structured.
 *
 * @throws if it is not the ledger.
 */
export function parseLedgerLine(line: string): LedgerLine {
  const isStructured = line.startsWith("{");
  const fields = isStructured
    ? (JSON.parse(line) as Record<string, unknown>)
    : Object.fromEntries(
        [...line.matchAll(/ (\w+)=(\S+)/g)].map(([, key, value]): [string, unknown] => [
          key ?? "",
          JSON.parse(value ?? "null"),
        ]),
      );
  if (!/\bLedger\b/.test(line)) throw new Error(`The last line is not the ledger: ${line}`);
  const count = (key: string): number => {
    const value = fields[key];
    if (typeof value !== "number") throw new Error(`The ledger has no number "${key}": ${line}`);
    return value;
  };
  return {
    received: count("received"),
    accepted: count("accepted"),
    processed: count("processed"),
    queued: count("queued"),
    inFlight: count("in_flight"),
    rejected: fields["rejected"] as Record<string, number>,
    dropped: fields["dropped"] as Record<string, number>,
    record: isStructured ? fields : {},
  };
}

/** The ledger from /metrics, once no span is queued or in flight. */
export async function ledgerAtRest(url: string): Promise<SpanLedger> {
  return await until("nothing is queued or in flight", async () => {
    const ledger = ledgerOf(await scrape(url));
    const done = ledger.processed + sum(ledger.dropped);
    return ledger.queued === 0 && done >= ledger.accepted ? ledger : undefined;
  });
}

function ledgerOf(samples: Scrape): SpanLedger {
  return {
    received: samples.value("obs_spans_received_total"),
    accepted: samples.value("obs_spans_accepted_total"),
    processed: samples.value("obs_spans_processed_total"),
    queued: samples.value("obs_queue_size"),
    inFlight: 0,
    rejected: samples.by("obs_spans_rejected_total", "reason"),
    dropped: samples.by("obs_spans_dropped_total", "reason"),
  };
}

/** The two equations of contract 4. */
export function expectToAddUp(ledger: SpanLedger): void {
  expect({ ...ledger, sum: ledger.accepted + sum(ledger.rejected) }).toMatchObject({ sum: ledger.received });
  const accountedFor = ledger.processed + sum(ledger.dropped) + ledger.queued + ledger.inFlight;
  expect({ ...ledger, sum: accountedFor }).toMatchObject({ sum: ledger.accepted });
}

/** All reasons together. */
export function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
