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
  /**
   * Runs before the measurement: prepares bodies and stores spans.
   *
   * @returns a function that performs the abuse.
   */
  readonly prepare: (context: AbuseContext) => Promise<() => Promise<void>> | (() => Promise<void>);
  /** Checks the state after the measurement; throws if it is wrong. */
  readonly holds?: (context: AbuseContext) => Promise<void>;
}

/** The limit of the collector's heap. A quarter of it bounds the work in progress. */
export const HEAP_MEBIBYTES = 512;
/** `trace_store.max_bytes` of the collector: far less than the abuses send, so that memory which is not released shows. */
export const STORE_MEBIBYTES = 128;
/**
 * Resident memory beside the trace store and the work in progress: code, the heap, buffers that wait for a garbage
 * collection, and free memory that the allocator has not returned.
 */
export const PROCESS_MEBIBYTES = 256;
