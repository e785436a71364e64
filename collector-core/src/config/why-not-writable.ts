import { ApiError } from "../api-schema/errors.js";
import type { Config } from "./options.js";

/** Why the configuration cannot be changed over HTTP; undefined if it can. */
export function whyNotWritable(config: Config): ApiError | undefined {
  return severalCollectors(config) ?? (config["config_file"] === undefined ? noConfigFile() : undefined);
}

/** The error of a change if other collectors share something with this one: each has a file of its own. */
export function severalCollectors(config: Config): ApiError | undefined {
  const key = (["queue.url", "trace_store.url"] as const).find((each) => config[each] !== undefined);
  if (key === undefined) return undefined;
  return new ApiError(
    "several_collectors",
    `With ${key}, several collectors may work together, and each has its own configuration. Change it where they are deployed.`,
  );
}

export function noConfigFile(): ApiError {
  return new ApiError(
    "config_not_writable",
    "The collector was started without a configuration file: set OBS_SERVER_CONFIG to the path of a file, which may be empty, and restart it.",
  );
}
