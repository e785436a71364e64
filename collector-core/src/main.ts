/** The command `obspan`. Only this file reads `process.env`. */
import { readFileSync } from "node:fs";
import { createOutput } from "./cli/output/output.js";
import { runCommandLine } from "./cli/run-command-line.js";

/** This file is one directory below that of the package, compiled and bundled. */
const PACKAGE = new URL("../", import.meta.url);

/**
 * Runs one command line.
 *
 * @param args - the arguments after the program name.
 * @returns the exit code (contract 9). After a collector has run, this function exits the process instead of returning.
 */
export async function main(args: readonly string[]): Promise<number> {
  const { env } = process;
  return await runCommandLine(args, {
    env,
    packageDirectory: PACKAGE,
    version: packageVersion(),
    output: createOutput(env),
  });
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", PACKAGE), "utf8"));
  const version = (manifest as { version?: unknown }).version;
  return typeof version === "string" ? version : "unknown";
}
