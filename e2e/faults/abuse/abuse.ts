import type { BuiltCollector, Settings } from "../../harness/built-collector.js";
import type { RawAnswer } from "../../harness/raw-requests.js";

/** What an abuse works with. */
export interface AbuseContext {
  readonly collector: BuiltCollector;
  readonly port: number;
  /** Traces in the store when it begins: `run-0` and so on. */
  readonly storedTraces: number;
  /** A small number in the tests, a large one in `npm run faults`. */
  readonly size: (bounded: number, whole: number) => number;
  /** Counts answers by their status, for the report. */
  readonly note: (answers: readonly RawAnswer[]) => void;
  /** Something to be done when the abuse is over, whether or not the collector has lived. */
  readonly afterwards: (cleanUp: () => void) => void;
}

/** One way to wrong a collector: what is sent to it, and what must hold beside the bars that hold for all. */
export interface Abuse {
  readonly name: string;
  readonly settings?: Settings;
  /**
   * Made before anything is measured: bodies are ready, spans are stored.
   *
   * @returns does it; it ends when the collector has had to bear all of it.
   */
  readonly prepare: (context: AbuseContext) => Promise<() => Promise<void>> | (() => Promise<void>);
  /** Looks at what the abuse has left; throws where it is not as it must be. Nothing is measured any more. */
  readonly holds?: (context: AbuseContext) => Promise<void>;
  /** Memory that the collector may have resident. Default: {@link MAX_RSS_MEBIBYTES}. */
  readonly maxRssMebibytes?: number;
}

/** Of the collector's process: its heap, and what bodies, answers and the store hold beside it. */
export const HEAP_MEBIBYTES = 512;
export const MAX_RSS_MEBIBYTES = 1024;
