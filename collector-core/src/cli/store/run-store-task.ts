import { CommandFailure } from "../command-failure.js";
import { Progress, type ProgressOptions } from "../progress.js";
import { findStore, type FindStoreOptions } from "./find-store.js";
import type { StoreAccess } from "./store-access.js";
import type { StoreTaskArguments } from "./store-commands.js";
import { backupText, compactionText, infoText, prunedText, verificationText } from "./text-of.js";

const FAILED = 1;
/** As a shell reports SIGINT. */
const INTERRUPTED = 130;

/** Options of {@link runStoreTask}. */
export interface RunStoreTaskOptions extends Omit<FindStoreOptions, "onProgress" | "warn"> {
  readonly task: StoreTaskArguments;
  readonly isJson: boolean;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly progress: ProgressOptions;
}

/** Text for a person, the value for a program, and whether damage was found. */
interface Outcome {
  readonly text: string;
  readonly value: object;
  readonly hasDamage?: boolean;
}

const NAMES = {
  info: "Reading",
  compact: "Compacting",
  verify: "Verifying",
  prune: "Pruning",
  backup: "Copying",
} as const;

/** Runs one `obspan store` command. @returns the exit code: 0, 1 if it failed or found damage. */
export async function runStoreTask(options: RunStoreTaskOptions): Promise<number> {
  const { task, isJson, print, printError, signal } = options;
  const progress = new Progress(NAMES[task.name], options.progress);
  try {
    const store = await findStore({
      ...options,
      onProgress: (done) => progress.update(done),
      warn: (message) => printError(`warning: ${message}\n`),
    });
    const { text, value, hasDamage = false } = await run(task, store);
    progress.end();
    print(isJson ? `${JSON.stringify(value)}\n` : text);
    return hasDamage ? FAILED : 0;
  } catch (error) {
    progress.end();
    if (signal.aborted) return INTERRUPTED;
    if (!(error instanceof CommandFailure)) throw error;
    printError(`obspan: ${error.message}\n`);
    return FAILED;
  }
}

async function run(task: StoreTaskArguments, store: StoreAccess): Promise<Outcome> {
  switch (task.name) {
    case "info": {
      const value = await store.info();
      return { value: { ...value, url: store.url }, text: infoText(value, store.url) };
    }
    case "compact": {
      const value = await store.compact();
      return { value, text: compactionText(value) };
    }
    case "verify": {
      const value = await store.verify();
      return { value, text: verificationText(value), hasDamage: value.problems.length > 0 };
    }
    case "prune": {
      const value = await store.prune(task.olderThanSeconds);
      return { value, text: prunedText(value) };
    }
    case "backup": {
      const value = await store.backup(task.file);
      return { value, text: backupText(value) };
    }
  }
}
