import type { BuiltCollector, Settings } from "../../harness/built-collector.js";
import type { RawAnswer } from "../../harness/raw-requests.js";

/** What an abuse can use. */
export interface AbuseContext {
  readonly collector: BuiltCollector;
  readonly port: number;
  /** Stored traces at the start: `run-0` and so on. */
  readonly storedTraces: number;
  /** `bounded` in the tests, `whole` in `npm run faults`. */
  readonly size: (bounded: number, whole: number) => number;
  /** Counts responses by status. The report shows the counts. */
  readonly note: (responses: readonly RawAnswer[]) => void;
  /** Registers a cleanup for the end of the abuse. */
  readonly afterwards: (cleanUp: () => void) => void;
}

/** One abuse of a collector: what is sent, and what must hold in addition to the common bars. */
export interface Abuse {
  readonly name: string;
  readonly settings?: Settings;
  /** Stored traces at the start in the tests; `npm run faults` stores 5,000. Default: 300. */
  readonly storedTraces?: number;
  /**
   * Runs before the measurement: prepares bodies and stores spans.
   *
   * @returns a function that performs the abuse.
   */
  readonly prepare: (context: AbuseContext) => Promise<() => Promise<void>> | (() => Promise<void>);
  /** Checks the state after the measurement; throws if it is wrong. */
  readonly holds?: (context: AbuseContext) => Promise<void>;
  /** Largest allowed resident memory. Default: {@link MAX_RSS_MEBIBYTES}. */
  readonly maxRssMebibytes?: number;
}

/** Limits of the collector's process: its heap, and its resident memory with bodies, responses and the store. */
export const HEAP_MEBIBYTES = 512;
export const MAX_RSS_MEBIBYTES = 1024;
