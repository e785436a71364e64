import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";

/** Many times the longest configuration. A larger file is something else, and parsing it blocks the collector for seconds. */
export const MAX_CONFIG_BYTES = 256 * 1024;
/** The codes of errors for what is no file of configuration. */
export const NOT_A_FILE = "ERR_NOT_A_FILE";
export const TOO_LARGE = "ERR_TOO_LARGE";

/**
 * Reads the YAML file of a collector that runs, whatever has its name by now. Never waits: reading a named pipe would block until
 * something is written to it.
 *
 * @throws the error of the file system; an error with a code for what is no configuration.
 */
export function readConfigFile(path: string): string {
  // Windows does not have the flag, and no named pipes in directories: undefined counts as 0 here.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw coded("EISDIR");
    if (!stats.isFile()) throw coded(NOT_A_FILE);
    if (stats.size > MAX_CONFIG_BYTES) throw coded(TOO_LARGE);
    return decoded(readFileSync(file));
  } finally {
    closeSync(file);
  }
}

/** The same at the start, where the configuration may come through a pipe (`--config <(…)`). */
export function readFirstConfig(path: string): string {
  return statSync(path).isFIFO() ? decoded(readFileSync(path)) : readConfigFile(path);
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}
