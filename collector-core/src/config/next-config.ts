import { statSync } from "node:fs";
import type { ConfigResult, LoadedConfig } from "./load-config.js";
import { readConfigFile } from "./read-config-file.js";

/** Two changes may have the same time if they are closer than this: some file systems have a resolution of 2 s. */
const SAME_TIME_MS = 3000;

/**
 * Returns a function that reads the configuration as the next start does; undefined if there is no file. It parses the file again
 * only after the file has changed, and remembers one result.
 */
export function createNextConfig({ config, recheck }: LoadedConfig): () => ConfigResult | undefined {
  const path = config["config_file"];
  let known: { readonly version: string; readonly result: ConfigResult } | undefined;

  return () => {
    if (path === undefined) return undefined;
    const version = settledVersion(path);
    if (version !== undefined && version === known?.version) return known.result;
    known = undefined;
    const content = version && readText(path);
    // Without a content it says why the file cannot be read, which may be for this moment only.
    const result = recheck(content);
    if (content !== undefined && version !== undefined && version === settledVersion(path))
      known = { version, result };
    return result;
  };
}

/** What differs after each change of a file; undefined if the file changed just now, or is none. */
function settledVersion(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true });
    const { dev, ino, size, mtimeNs, ctimeMs, ctimeNs } = stats;
    // Every change sets this time, also one that sets the other back.
    const isSettled = Date.now() - Number(ctimeMs) >= SAME_TIME_MS;
    return stats.isFile() && isSettled ? [dev, ino, size, mtimeNs, ctimeNs].join() : undefined;
  } catch {
    return undefined;
  }
}

/** The text of the file; undefined if it cannot be read. */
function readText(path: string): string | undefined {
  try {
    return readConfigFile(path);
  } catch {
    return undefined;
  }
}
