import { createReadStream, statSync } from "node:fs";
import { isatty } from "node:tty";
import type { Readable } from "node:stream";
import { CommandFailure, EXIT } from "../command-failure.js";

const STDIN = 0;

/** A file or stdin. */
export interface Input {
  readonly stream: Readable;
  /** Undefined if it is not known. */
  readonly bytes: number | undefined;
}

/** Opens a file, or stdin for `-` and without a name. @throws CommandFailure if there is none. */
export function openInput(file: string | undefined): Input {
  if (file === undefined || file === "-") {
    if (file === undefined && isatty(STDIN))
      throw new CommandFailure("Name a file, or pipe one into the command.", { exitCode: EXIT.usage });
    return { stream: process.stdin, bytes: undefined };
  }
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandFailure(`There is no file ${file}.`);
  if (stats.isDirectory()) throw new CommandFailure(`${file} is a directory.`);
  return { stream: createReadStream(file), bytes: stats.isFile() ? stats.size : undefined };
}
