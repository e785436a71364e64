import type { ImportResult } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { CollectorApi } from "../api/collector-api.js";
import { filePieces } from "./file-pieces.js";
import { sessionKeyOf } from "./session-key.js";
import { traceKeyOf } from "./trace-key.js";

/** The current or last file transfer. */
export type FileTransfer =
  | { readonly type: "none" }
  | FileProgress<"importing">
  | FileProgress<"exporting">
  | { readonly type: "imported"; readonly name: string; readonly result: ImportResult }
  | { readonly type: "failed"; readonly message: string };

interface FileProgress<Type extends string> {
  readonly type: Type;
  readonly name: string;
  /** Progress from 0 to 1. */
  readonly share: number;
}

export interface TraceFilesState {
  readonly transfer: FileTransfer;
}

export interface TraceFilesActions {
  /** Imports a file of OTLP-JSON lines in pieces. */
  importFile(file: File): Promise<void>;
  /** Fetches the traces of these rows and saves them as one file. */
  exportRows(rowKeys: readonly string[]): Promise<void>;
  /** The same with all traces of these sessions. */
  exportSessions(rowKeys: readonly string[]): Promise<void>;
  dismiss(): void;
}

export interface TraceFilesOptions {
  readonly api: Pick<CollectorApi, "importTraces" | "exportTrace" | "exportSession">;
  /** Saves a file for the user. */
  readonly save: (file: Blob, name: string) => void;
  /** In epoch milliseconds. Default: Date.now. */
  readonly now?: () => number;
}

/** Parallel requests: a browser opens six connections to a host. */
const CONCURRENCY = 4;

/** Imports and exports traces, one transfer at a time. */
export function createTraceFilesStore({ api, save, now = Date.now }: TraceFilesOptions) {
  return createStore<TraceFilesState & TraceFilesActions>()((set, get) => {
    const isBusy = (): boolean => ["importing", "exporting"].includes(get().transfer.type);

    async function run(task: () => Promise<FileTransfer>): Promise<void> {
      if (isBusy()) return;
      try {
        set({ transfer: await task() });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        set({ transfer: { type: "failed", message } });
      }
    }

    /** Fetches what belongs to each key, a few at a time, and saves it in the order of the keys. */
    const exportEach = (
      what: string,
      keys: readonly string[],
      fetchLines: (key: string) => Promise<Blob>,
    ): Promise<void> =>
      run(async () => {
        const name = `obspan-${what}-${new Date(now()).toISOString().slice(0, 19).replaceAll(":", "-")}.otlp.jsonl`;
        const files: Blob[] = [];
        const queue = keys.map((key, index) => ({ key, index }));
        let done = 0;
        const work = async (): Promise<void> => {
          for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
            set({ transfer: { type: "exporting", name, share: done / keys.length } });
            files[next.index] = await fetchLines(next.key);
            done++;
          }
        };
        await Promise.all(Array.from({ length: CONCURRENCY }, work));
        save(new Blob(files, { type: "application/jsonl" }), name);
        return { type: "none" };
      });

    return {
      transfer: { type: "none" },

      importFile: (file) =>
        run(async () => {
          const { name } = file;
          let result: ImportResult | undefined;
          set({ transfer: { type: "importing", name, share: 0 } });
          for await (const { bytes, linesBefore, endByte } of filePieces(file)) {
            result = joinResults(result, await api.importTraces(bytes), linesBefore);
            set({ transfer: { type: "importing", name, share: endByte / file.size } });
          }
          if (result === undefined || result.lines === 0) throw new Error(`${name} is empty.`);
          return { type: "imported", name, result };
        }),

      // Oldest first, like the collector's export.
      exportRows: (rowKeys) =>
        exportEach("traces", rowKeys.toReversed(), (key) => api.exportTrace(traceKeyOf(key))),
      exportSessions: (rowKeys) =>
        exportEach("sessions", rowKeys, (key) => api.exportSession(sessionKeyOf(key))),

      dismiss() {
        if (!isBusy()) set({ transfer: { type: "none" } });
      },
    };
  });
}
export type TraceFilesStore = ReturnType<typeof createTraceFilesStore>;

const MAX_PROBLEMS = 20;

function joinResults(sum: ImportResult | undefined, piece: ImportResult, linesBefore: number): ImportResult {
  const problems = piece.problems.map(({ line, message }) => ({ line: line + linesBefore, message }));
  if (sum === undefined) return { ...piece, problems };
  return {
    lines: sum.lines + piece.lines,
    refused_lines: sum.refused_lines + piece.refused_lines,
    traces: sum.traces + piece.traces,
    spans: sum.spans + piece.spans,
    refused_spans: sum.refused_spans + piece.refused_spans,
    dropped_spans: sum.dropped_spans + piece.dropped_spans,
    evicted_traces: sum.evicted_traces + piece.evicted_traces,
    problems: [...sum.problems, ...problems].slice(0, MAX_PROBLEMS),
  };
}
