import type { Command } from "commander";
import { CollectorClient } from "./collector-client.js";
import { DEFAULT_URL, URL_OPTION } from "./collector-url.js";
import type { CommandContext } from "./command-context.js";

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
    .option(...URL_OPTION)
    .option("--tenant <tenant>", "tenant, where the collector has several")
    .option("--json", "print JSON lines")
    .optionsGroup("Options:");
}

/** The collector that a command asks. Its key is OBS_API_KEY. */
export function collectorOf(
  { url, tenant }: CollectorFlags,
  { env, answers }: CommandContext,
): CollectorClient {
  return new CollectorClient({
    url: url ?? (env["OBS_PUSH_URL"] || DEFAULT_URL),
    apiKey: env["OBS_API_KEY"] || undefined,
    tenant,
    hint: HINT,
    answers,
  });
}
