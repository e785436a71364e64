import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorMessage } from "../runtime/describe-error.js";
import { lineWriter } from "./line-writer.js";

/** A file that mirrors the log. Failures after opening are only counted. */
export interface LogFile {
  /** Lines that could not be written. */
  readonly errors: number;
  /** @returns the error if the line was not written. */
  write(line: string): Error | undefined;
  /** Syncs written lines to disk. */
  flush(): void;
  /** May be called twice. Later lines count as errors. */
  close(): void;
}

/**
 * Opens a file in append mode. It stays open, so log rotation has to copy and truncate.
 *
 * @throws the error of the file system.
 */
export function openLogFile(path: string): LogFile {
  // Without O_NONBLOCK, opening a named pipe blocks until it has a reader. Windows lacks the flag.
  const { O_APPEND, O_CREAT, O_WRONLY, O_NONBLOCK } = constants;
  const fileDescriptor = openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK);
  const writeLine = lineWriter(fileDescriptor, 0);
  let errors = 0;
  let open = true;

  return {
    get errors() {
      return errors;
    },
    write(line) {
      const failure = open ? writeLine(line) : new Error("the log file is closed");
      if (failure !== undefined) errors += 1;
      return failure;
    },
    flush() {
      attempt(() => open && fsyncSync(fileDescriptor));
    },
    close() {
      attempt(() => open && closeSync(fileDescriptor));
      open = false;
    },
  };
}

/**
 * Checks whether a log file can be opened, without creating it.
 *
 * @returns the problem; undefined if there is none.
 */
export function logFileProblem(path: string): string | undefined {
  try {
    if (!existsSync(path)) accessSync(dirname(path), constants.W_OK);
    else if (statSync(path).isDirectory()) return "must be a file, not a directory";
    else accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return notWritable(error);
  }
}

/** Describes why a log file cannot be opened. */
export function notWritable(error: unknown): string {
  return `must be a file that can be written: ${errorMessage(error)}`;
}

/** Ignores errors, such as those of fsync on a pipe or a device. */
function attempt(effect: () => unknown): void {
  try {
    effect();
  } catch {
    // Failed lines are already counted.
  }
}
