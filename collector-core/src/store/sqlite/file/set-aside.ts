import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { COMPANION_SUFFIXES } from "./create-trace-file.js";

/**
 * Renames a damaged file, with its write-ahead log, to `<name>.corrupt-<UTC>`. Only the latest such file is kept.
 *
 * @returns the new path.
 */
export function setAside(path: string, nowMs: number): string {
  const prefix = `${basename(path)}.corrupt-`;
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(prefix)) rmSync(join(dirname(path), name), { force: true });
  // Windows allows no colon in a name.
  const time = new Date(nowMs).toISOString().replace(/\.\d+/, "").replaceAll(":", "-");
  const aside = join(dirname(path), prefix + time);
  renameSync(path, aside);
  for (const suffix of COMPANION_SUFFIXES)
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return aside;
}
