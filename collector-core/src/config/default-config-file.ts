import { posix, win32 } from "node:path";
import type { Surroundings } from "./default-trace-directory.js";

/**
 * The configuration file of a collector that serves one user: `obspan/obspan.yaml` in the configuration directory of the
 * platform. It need not exist: the first change over HTTP creates it.
 *
 * @returns undefined if the user has no directory of their own.
 */
export function defaultConfigFile({ platform, env, homeDirectory }: Surroundings): string | undefined {
  const path = platform === "win32" ? win32 : posix;
  const directory = configDirectory();
  return directory === undefined ? undefined : path.join(directory, "obspan", "obspan.yaml");

  function configDirectory(): string | undefined {
    // A relative path is ignored, as the XDG Base Directory Specification asks.
    const named = platform === "win32" ? env["APPDATA"] : env["XDG_CONFIG_HOME"];
    if (named !== undefined && path.isAbsolute(named)) return named;
    if (!path.isAbsolute(homeDirectory)) return undefined;
    if (platform === "win32") return path.join(homeDirectory, "AppData", "Roaming");
    if (platform === "darwin") return path.join(homeDirectory, "Library", "Application Support");
    return path.join(homeDirectory, ".config");
  }
}
