import type { Command } from "commander";
import { CollectorClient } from "./collector-client.js";
import type { CommandContext } from "./command-context.js";

/** Where a collector listens unless it is told otherwise. */
export const DEFAULT_URL = "http://127.0.0.1:8080";
const HINT = "Start one with `obspan serve --local`, or name another with --url or OBS_PUSH_URL.";

/** Options of every command that asks a collector. */
export interface CollectorFlags {
  readonly url?: string;
  readonly tenant?: string;
  readonly json?: boolean;
}

/** Adds `--url`, `--tenant` and `--json`. */
export function addCollectorOptions(command: Command): Command {
  return command
    .optionsGroup("Collector and output:")
    .option("--url <url>", `address of the collector; default: OBS_PUSH_URL, else ${DEFAULT_URL}`)
    .option("--tenant <tenant>", "tenant, where the collector has several")
    .option("--json", "print JSON lines")
    .optionsGroup("Options:");
}

/** The collector that a command asks. Its key is OBS_API_KEY. */
export function collectorOf({ url, tenant }: CollectorFlags, { env }: CommandContext): CollectorClient {
  return new CollectorClient({
    url: url ?? (env["OBS_PUSH_URL"] || DEFAULT_URL),
    apiKey: env["OBS_API_KEY"] || undefined,
    tenant,
    hint: HINT,
  });
}
