import type { EvictionReason } from "../../../interfaces.js";
import type { Clock } from "../../../runtime/clock.js";
import type { TraceFile } from "../open-trace-file.js";
import type { OnCorruptChunk } from "./chunk-reader.js";
import type { OnDamagedRow } from "./damage-log.js";
import type { OpenReadings } from "./open-readings.js";
import type { RebuildState } from "./rebuild-state.js";
import type { RetentionBounds } from "./retention.js";
import type { DamagedPart } from "./trace-tables.js";

/** Bounds of a durable trace store. */
export interface StoreBounds extends RetentionBounds {
  /** `trace_store.max_spans_per_trace`: the oldest spans of a trace are dropped beyond it. */
  readonly maxSpansPerTrace: number;
  /** Memory that open traces may take while many of them receive spans. See `BufferLimit`. */
  readonly maxBufferBytes: number;
  /** A larger chunk counts as damaged. Default: as large as can be read. */
  readonly maxChunkBytes?: number;
  /** Bytes of spans that a question about an attribute parses. Default: 256 MiB. */
  readonly maxReadBytes?: number;
}

/** Options of `OpenStore`. */
export interface OpenStoreOptions {
  readonly file: TraceFile;
  readonly bounds: StoreBounds;
  readonly clock: Clock;
  /** See `BufferLimit`. */
  readonly usualBufferBytes?: (() => number) | undefined;
  /** Those of an earlier store on the same file. */
  readonly readings: OpenReadings;
  /** Present if the file may need a rebuild. It outlives this store. */
  readonly rebuildState?: RebuildState | undefined;
  readonly onEvicted: (reason: EvictionReason, count: number) => void;
  readonly onCorruptChunk: OnCorruptChunk;
  /** Called when a part of a trace is damaged, perhaps several times. @param spans - that are left out for it. */
  readonly onDamagedTrace: (sequence: number, part: DamagedPart | "summary", spans: number) => void;
  /** Called for a row that is not what was written, perhaps several times. */
  readonly onDamagedRow: OnDamagedRow;
}
