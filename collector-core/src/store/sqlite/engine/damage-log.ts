import { describeError } from "../../../runtime/describe-error.js";
import type { EngineHost } from "../thread/storage-engine.js";
import type { DamagedPart } from "./trace-tables.js";

/** Damaged parts of traces that are logged and counted. */
const MAX_LOGGED_DAMAGES = 10_000;
/** What is logged of a damaged part of a trace. */
const DAMAGES = {
  summary:
    "The summary of a trace in the trace store is damaged. It is computed again from the spans, if they can be read.",
  numbers:
    "The numbers of a trace in the trace store are damaged. They are computed again from the spans, if they can be read.",
  state: "The state of a trace in the trace store is damaged. What it had of dropped spans is left out.",
  places: "The list of the spans of a trace in the trace store is damaged. These spans are left out.",
} as const satisfies Record<DamagedPart | "summary", string>;

/** What is logged of a row. */
const DAMAGED_ROWS = {
  chunk: "The numbers of a chunk in the trace store are damaged. They are computed again from its spans.",
  value_set:
    "The labels of traces in the trace store are damaged. They are written again from what they were linked to.",
  evicted:
    "What the trace store remembers of an evicted trace is damaged. The trace is no longer known as evicted.",
  erasing:
    "The list of chunks with text of a removed trace is damaged. The text is looked for in all chunks.",
  stats_step: "A step of the statistics in the trace store is damaged. It is left out.",
} as const;

/** Called for a row that is not what was written, with the table and the id of the row. */
export type OnDamagedRow = (table: keyof typeof DAMAGED_ROWS, row: number) => void;

/** Options of {@link DamageLog}. */
export interface DamageLogOptions {
  readonly host: EngineHost;
  /** Called once for each damage, with the spans that are left out. */
  readonly onLost: (spans: number) => void;
}

/** Logs and counts each damaged part of the file once. */
export class DamageLog {
  readonly #options: DamageLogOptions;
  readonly #chunks = new Set<number>();
  readonly #traces = new Set<string>();
  readonly #evaluations = new Set<number>();
  readonly #rows = new Set<string>();

  constructor(options: DamageLogOptions) {
    this.#options = options;
  }

  /** A chunk cannot be read. */
  onCorruptChunk(path: string, chunk: number, spans: number, error: unknown): void {
    if (this.#chunks.has(chunk)) return;
    this.#chunks.add(chunk);
    const { host, onLost } = this.#options;
    onLost(spans);
    const message = "A chunk of the trace store cannot be read. Its spans are left out.";
    host.log("error", message, { path, chunk, spans, error: describeError(error) });
  }

  /** A part of a row cannot be read. */
  onDamagedTrace(path: string, sequence: number, part: keyof typeof DAMAGES, spans: number): void {
    const damage = `${part} ${sequence}`;
    if (this.#traces.has(damage) || this.#traces.size >= MAX_LOGGED_DAMAGES) return;
    this.#traces.add(damage);
    const { host, onLost } = this.#options;
    onLost(spans);
    host.log("error", DAMAGES[part], { path, trace: sequence, spans });
  }

  /** An evaluation cannot be read. Its span, which the trace has, is not lost. */
  onDamagedEvaluation(path: string, sequence: number): void {
    if (this.#evaluations.has(sequence) || this.#evaluations.size >= MAX_LOGGED_DAMAGES) return;
    this.#evaluations.add(sequence);
    const message =
      "An evaluation in the trace store is damaged. It is left out of the lists of evaluations.";
    this.#options.host.log("error", message, { path, evaluation: sequence });
  }

  /** A row is not what was written. */
  onDamagedRow(path: string, ...[table, row]: Parameters<OnDamagedRow>): void {
    const damage = `${table} ${row}`;
    if (this.#rows.has(damage) || this.#rows.size >= MAX_LOGGED_DAMAGES) return;
    this.#rows.add(damage);
    this.#options.host.log("error", DAMAGED_ROWS[table], { path, table, row });
  }

  /** The file was replaced. */
  clear(): void {
    this.#chunks.clear();
    this.#traces.clear();
    this.#evaluations.clear();
    this.#rows.clear();
  }
}
