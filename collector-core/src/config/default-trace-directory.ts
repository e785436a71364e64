import { posix, win32 } from "node:path";

/** What the directory depends on. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Empty if the user has none. */
  readonly homeDirectory: string;
}

/**
 * The directory of the trace file of a collector that serves one user: `obspan/traces` in the data directory of the platform.
 *
 * @returns undefined if the user has no directory of their own.
 */
export function defaultTraceDirectory({ platform, env, homeDirectory }: Surroundings): string | undefined {
  const path = platform === "win32" ? win32 : posix;
  const data = dataDirectory();
  return data === undefined ? undefined : path.join(data, "obspan", "traces");

  function dataDirectory(): string | undefined {
    // A relative path is ignored, as the XDG Base Directory Specification asks.
    const named = platform === "win32" ? env["LOCALAPPDATA"] : env["XDG_DATA_HOME"];
    if (named !== undefined && path.isAbsolute(named)) return named;
    if (!path.isAbsolute(homeDirectory)) return undefined;
    if (platform === "win32") return path.join(homeDirectory, "AppData", "Local");
    if (platform === "darwin") return path.join(homeDirectory, "Library", "Application Support");
    return path.join(homeDirectory, ".local", "share");
  }
}
