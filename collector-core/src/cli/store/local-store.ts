import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { byteSizeText } from "../../api-schema/byte-size.js";
import { describeStore, type StoreLimits } from "../../query/store-info.js";
import { parseViews, storedViews, VIEW_FILE_NAME } from "../../query/saved-views.js";
import { readViewFile } from "../../store/sqlite/file/view-file.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { runInTurns, type Steps } from "../../runtime/steps.js";
import { writeViews } from "../../store/sqlite/engine/view-rows.js";
import { LockHeldError } from "../../store/sqlite/file/file-lock.js";
import { createSpaceReserve } from "../../store/sqlite/file/space-reserve.js";
import { freeBytesOf } from "../../store/sqlite/free-bytes.js";
import { backUp } from "../../store/sqlite/maintenance/backup.js";
import { compact } from "../../store/sqlite/maintenance/compact.js";
import { traceFileInfo } from "../../store/sqlite/maintenance/trace-file-info.js";
import { verify } from "../../store/sqlite/maintenance/verify.js";
import {
  openTraceFile,
  TRACE_FILE_NAME,
  TraceFileError,
  type TraceFile,
} from "../../store/sqlite/open-trace-file.js";
import { CommandFailure } from "../command-failure.js";
import type { OnProgress, StoreAccess } from "./store-access.js";

/** Time between turns of the event loop, which delivers signals. */
const TURN_MS = 50;
const MIB = 2 ** 20;
/** Below this, commands that make room use the space that the collector has held for them. */
const FULL_DISK_BYTES = 32 * MIB;

/** Options of {@link localStore}. */
export interface LocalStoreOptions {
  readonly directory: string;
  readonly limits: StoreLimits;
  /** Version of this program. */
  readonly version: string;
  /** Where a collector was looked for; undefined if it was not. */
  readonly triedUrl: string | undefined;
  readonly onProgress: OnProgress;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** The store of a collector that is not running: this process opens the file. Nothing is evicted, and nothing is set aside. */
export function localStore(options: LocalStoreOptions): StoreAccess {
  const { directory, limits, version, onProgress, signal, warn } = options;
  const path = join(directory, TRACE_FILE_NAME);

  async function opened<Result>(work: (file: TraceFile) => Promise<Result>): Promise<Result> {
    requireFile();
    return await explained(async () => {
      const file = openTraceFile(directory, {
        createdAtMs: Date.now(),
        isDamageRefused: true,
        onEvent: (event) =>
          warn(
            event.type === "repaired"
              ? `Numbers in the file were damaged: ${event.problem}`
              : `The file had an older format (${event.type}).`,
          ),
      });
      try {
        return await work(file);
      } finally {
        file.close();
      }
    });
  }

  function requireFile(): void {
    if (existsSync(path)) return;
    const tried = options.triedUrl === undefined ? "" : `, and no collector answers at ${options.triedUrl}`;
    throw new CommandFailure(
      `There is no trace store in ${directory}${tried}. Name the directory of the store with --directory, or the collector with --url.`,
    );
  }

  async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) throw error;
      throw explain(error);
    }
  }

  function explain(error: Error): Error {
    if (!(error instanceof TraceFileError) || error.reason !== "in_use")
      return new CommandFailure(error.message);
    const pid = error.cause instanceof LockHeldError ? error.cause.pid : undefined;
    const holder = pid === undefined ? "another process" : `process ${pid}`;
    const tried = options.triedUrl === undefined ? "" : `, which does not answer at ${options.triedUrl}`;
    return new CommandFailure(
      `${path} is in use by ${holder}${tried}. Name the address of that collector with --url, or stop it.`,
    );
  }

  async function run<Result>(steps: Steps<Result>, onStep: () => void = onProgress): Promise<Result> {
    let turnMs = performance.now();
    try {
      return await runInTurns(steps, () => {
        onStep();
        if (performance.now() - turnMs < TURN_MS) return undefined;
        return turn().then(() => {
          turnMs = performance.now();
        });
      });
    } catch (error) {
      // Ends the steps, which remove what is not complete.
      steps.throw(error);
      throw error;
    }
  }

  async function turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
  }

  /** On a full disk, SQLite needs room for its log before it can make any. The next collector holds it again. */
  function makeRoom(): void {
    if (freeBytesOf(directory) < FULL_DISK_BYTES) createSpaceReserve(directory, 0).release();
  }

  /** Writes the saved views into the file, so that a copy has them. */
  function addViews({ db }: TraceFile): void {
    const views = join(directory, VIEW_FILE_NAME);
    if (!existsSync(views)) return;
    try {
      writeViews(db, storedViews(parseViews(readViewFile(views))));
    } catch (error) {
      warn(`The backup has no saved views: ${views} cannot be read. ${errorMessage(error)}`);
    }
  }

  async function prune(olderThanSeconds: number): Promise<{ pruned: number }> {
    // Only this task needs the engine.
    const { createStorageEngine } = await import("../../store/sqlite/engine/create-storage-engine.js");
    requireFile();
    makeRoom();
    return await explained(async () => {
      const engine = createStorageEngine(
        {
          directory,
          maxTraces: Number.POSITIVE_INFINITY,
          maxSpansPerTrace: Number.POSITIVE_INFINITY,
          ttlSeconds: 0,
          maxBufferBytes: 2 ** 28,
          diskMaxBytes: Number.POSITIVE_INFINITY,
          minFreeBytes: 0,
          commitIntervalMs: 0,
          isDamageRefused: true,
        },
        {
          log: (level, message) => {
            if (level === "warning" || level === "error") warn(message);
          },
        },
      );
      const timer = setInterval(() => onProgress(), TURN_MS);
      try {
        return { pruned: await engine.commands.prune(olderThanSeconds, signal) };
      } finally {
        clearInterval(timer);
        await engine.close();
      }
    });
  }

  return {
    url: null,
    info: () =>
      opened(async (file) =>
        describeStore(await run(traceFileInfo(file)), {
          ...limits,
          state: "ok",
          reason: null,
          version,
          task: null,
          rebuild_progress: file.needsRebuild ? 0 : null,
        }),
      ),
    compact: () => {
      makeRoom();
      return opened(async (file) => {
        const { bytesBefore, bytesAfter } = await run(compact(file));
        return { bytes_before: bytesBefore, bytes_after: bytesAfter };
      });
    },
    verify: () =>
      opened(async (file) => {
        const { chunks, damagedChunks, problems } = await run(verify(file, { isWhole: true }));
        return { chunks, damaged_chunks: damagedChunks, problems: [...problems] };
      }),
    prune,
    backup: (target) =>
      opened(async (file) => {
        addViews(file);
        const total = statSync(path).size;
        let steps = 0;
        const bytes = await run(backUp(file, target), () =>
          onProgress(`${byteSizeText(Math.min(++steps * MIB, total))} of ${byteSizeText(total)}`),
        );
        return { file: target, bytes };
      }),
  };
}
