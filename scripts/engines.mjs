/** ClickHouse without a server: chDB, its engine as a library, in a folder of its own with its own lockfile. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { root, tryInstall } from "./project.mjs";

export const ENGINES = join(root, "collector-core/test/engines");

/** Installs chDB where it is missing (550 MB). @returns false where the registry does not have it for this platform. */
export async function ensureEngine() {
  return (await tryInstall(ENGINES, "install")) && hasEngine();
}

/** The library itself is an optional dependency, which a platform without one lacks. */
function hasEngine() {
  try {
    return readdirSync(join(ENGINES, "node_modules/@chdb")).length > 0;
  } catch {
    return false;
  }
}
