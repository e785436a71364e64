import { describeError } from "../../../runtime/describe-error.js";
import type { TraceFile } from "../open-trace-file.js";
import type { EngineHost } from "../thread/storage-engine.js";
import type { EngineCounts } from "./engine-counts.js";
import { OpenReadings } from "./open-readings.js";
import type { OpenStore } from "./open-store.js";
import { RebuildState } from "./rebuild-state.js";
import { Selections } from "./selections.js";
import { FileMovedError, isDamage } from "./sql-failures.js";

/** The open file, with what outlives a store on it. */
export interface OpenedFile {
  readonly file: TraceFile;
  readonly readings: OpenReadings;
  readonly rebuildState: RebuildState;
}

/** Options of {@link CurrentStore}. */
export interface CurrentStoreOptions {
  /** Opens the file, or an empty one in place of a damaged one. */
  readonly openFile: (options: { readonly isKnownCorrupt: boolean }) => TraceFile;
  /** Opens the traces of a file, as of the last commit. */
  readonly openStore: (opened: OpenedFile) => OpenStore;
  readonly counts: EngineCounts;
  /** Called when another file is open, before its traces are. */
  readonly onReplaced: () => void;
  readonly host: EngineHost;
}

/** The open file with its store. Both are replaced when the file is damaged or cleared, the store alone by a rollback. */
export class CurrentStore {
  readonly readings = new OpenReadings();
  readonly selections = new Selections();
  readonly #options: CurrentStoreOptions;
  #file: TraceFile;
  #store: OpenStore;
  #rebuildState = new RebuildState();
  /** False on a file system that gives a file another identity from time to time. */
  #hasStableIdentity = true;

  constructor(options: CurrentStoreOptions) {
    this.#options = options;
    this.#file = options.openFile({ isKnownCorrupt: false });
    try {
      this.#store = this.#openStore();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#logDamage(error);
      this.closeFile();
      this.#file = options.openFile({ isKnownCorrupt: true });
      this.#rebuildState = new RebuildState();
      options.onReplaced();
      this.#store = this.#openStore();
    }
  }

  get file(): TraceFile {
    return this.#file;
  }

  get store(): OpenStore {
    return this.#store;
  }

  /** @throws FileMovedError if another file, or none, has the name of the open one. */
  requireInPlace(): void {
    const found = this.#file.atItsPath();
    if (found === "nothing" || (found === "another" && this.#hasStableIdentity))
      throw new FileMovedError(this.#file.path);
  }

  #openStore(): OpenStore {
    const { readings } = this;
    return this.#options.openStore({ file: this.#file, readings, rebuildState: this.#rebuildState });
  }

  /** Returns to the last commit. */
  rollBack(): void {
    this.#store.rollback();
    this.#options.counts.rollBack();
    this.#store = this.#openStore();
  }

  /** Sets the damaged file aside. */
  openEmpty(error: unknown): void {
    this.#logDamage(error);
    this.closeFile();
    this.#options.counts.setAside();
    this.openFile(true);
  }

  /** Opens the file that has the name of the open one now, or an empty one. */
  followName(): void {
    const { counts, host } = this.#options;
    const { path, storeId } = this.#file;
    // Only what was committed is lost: the caller adds the rest again.
    this.rollBack();
    const savedSpans = this.#store.spanCount;
    this.closeFile();
    try {
      this.openFile(false);
    } catch (error) {
      counts.unsaved("file_gone", savedSpans);
      throw error;
    }
    if (this.#file.storeId === storeId && this.#store.spanCount === savedSpans) {
      this.#hasStableIdentity = false;
      return;
    }
    counts.unsaved("file_gone", savedSpans);
    host.log(
      "error",
      "The file of the trace store was removed or replaced. Its traces are gone, and the store goes on with what is there now.",
      { path, lost_spans: savedSpans },
    );
  }

  /** Opens the file again, or an empty one. Whoever reads from the earlier one finds nothing more. */
  openFile(isKnownCorrupt: boolean): void {
    const { openFile, onReplaced, counts } = this.#options;
    this.readings.clear();
    this.selections.clear();
    this.#file = openFile({ isKnownCorrupt });
    this.#rebuildState = new RebuildState();
    onReplaced();
    this.#store = this.#openStore();
    counts.commit(this.#store.lateEvaluations);
  }

  closeFile(): void {
    try {
      this.#file.close();
    } catch {
      // A damaged file may not be closed properly. It is not used any more.
    }
  }

  #logDamage(error: unknown): void {
    this.#options.host.log(
      "error",
      "The file of the trace store is damaged. It is set aside, and the store starts empty.",
      { path: this.#file.path, error: describeError(error) },
    );
  }
}
