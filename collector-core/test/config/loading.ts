import { loadConfig, type LoadConfigOptions, type LoadedConfig } from "../../src/config/load-config.js";

/** The path under which {@link load} offers its YAML. */
export const YAML_PATH = "obspan.yaml";

interface Given extends Partial<Omit<LoadConfigOptions, "configPath" | "readFile">> {
  readonly yaml?: string;
}

function result({ yaml, env = {}, ...rest }: Given) {
  return loadConfig({
    env,
    ...rest,
    ...(yaml === undefined ? {} : { configPath: YAML_PATH, readFile: () => yaml }),
  });
}

/** The configuration, where it is one that may start. */
export function load(given: Given): LoadedConfig {
  const read = result(given);
  if (read.type === "refused") throw new Error(read.problems.join("\n"));
  return read.loaded;
}

/** Every reason not to start; empty where there is none. */
export function problems(given: Given): readonly string[] {
  const read = result(given);
  return read.type === "refused" ? read.problems : [];
}
