import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const REGISTER = "@obspan/sdk/register";

/**
 * Finds the file that hooks the libraries of a Node app: that of the app, otherwise the one beside the command. A name would be
 * looked up from the working directory of each process, and a process that does not find it does not start.
 *
 * @returns its URL, which has no characters that NODE_OPTIONS would have to quote.
 */
export function findRegister(directory: string, packageDirectory: URL): string | undefined {
  for (const from of [pathToFileURL(join(directory, "app.js")), new URL("package.json", packageDirectory)])
    try {
      return pathToFileURL(createRequire(from).resolve(REGISTER)).href;
    } catch {
      // Not installed there, or a version without it.
    }
  return undefined;
}
