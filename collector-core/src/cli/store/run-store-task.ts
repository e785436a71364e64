import { EXIT } from "../command-failure.js";
import type { Output } from "../output/output.js";
import { findStore, type FindStoreOptions } from "./find-store.js";
import type { StoreAccess } from "./store-access.js";
import { backupText, compactionText, infoText, prunedText, verificationText } from "./text-of.js";

/** As a shell reports SIGINT. */
const INTERRUPTED = 130;

/** What an `obspan store` command does. */
export type StoreTaskArguments =
  | { readonly name: "info" | "compact" | "verify" }
  | { readonly name: "prune"; readonly olderThanSeconds: number }
  | { readonly name: "backup"; readonly file: string };

/** Options of {@link runStoreTask}. */
export interface RunStoreTaskOptions extends Omit<FindStoreOptions, "onProgress" | "warn"> {
  readonly task: StoreTaskArguments;
  readonly isJson: boolean;
  readonly output: Output;
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
  const { task, isJson, output, signal } = options;
  const progress = output.progress(NAMES[task.name]);
  try {
    const store = await findStore({
      ...options,
      onProgress: (done) => progress.update(done),
      warn: (message) => output.note(`warning: ${message}\n`),
    });
    const { text, value, hasDamage = false } = await run(task, store);
    progress.end();
    if (isJson) output.printJson(value);
    else output.print(text);
    return hasDamage ? EXIT.failed : EXIT.ok;
  } catch (error) {
    progress.end();
    if (signal.aborted) return INTERRUPTED;
    throw error;
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
