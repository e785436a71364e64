import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { lineWriter } from "./line-writer.js";

/** A file that mirrors the log. What fails after it has been opened is counted, and goes no further. */
export interface LogFile {
  /** Lines that could not be written. */
  readonly errors: number;
  /** @returns what went wrong, where the line could not be written. */
  write(line: string): Error | undefined;
  /** Asks the system to put what was written on the disk. */
  flush(): void;
  /** Safe twice; lines after it count as errors. */
  close(): void;
}

/**
 * Opens a file to append to. It stays open: a rotation has to copy and truncate.
 *
 * @throws what the system says, where it cannot be opened.
 */
export function openLogFile(path: string): LogFile {
  // Without O_NONBLOCK (which Windows has not), opening a named pipe would wait for somebody to read it.
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
 * Whether a log file could be opened, without making one.
 *
 * @returns what a path must be, where this one is not; undefined where all is well.
 */
export function logFileProblem(path: string): string | undefined {
  try {
    if (!existsSync(path)) accessSync(dirname(path), constants.W_OK);
    else if (statSync(path).isDirectory()) return "must be a file, and is a directory";
    else accessSync(path, constants.W_OK);
    return undefined;
  } catch (error) {
    return notWritable(error);
  }
}

/** The problem of a log file that could not be opened. */
export function notWritable(error: unknown): string {
  return `must be a file that can be written: ${error instanceof Error ? error.message : String(error)}`;
}

/** For what fails on a pipe or a device, and has no consequence. */
function attempt(effect: () => unknown): void {
  try {
    effect();
  } catch {
    // The lines that failed have been counted.
  }
}
