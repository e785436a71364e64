import type { Runtime } from "../capture/runtime.js";
import { sharedState } from "../capture/shared-state.js";
import { createTextPolicy } from "../capture/text-policy.js";
import { openPrices } from "../capture/price-table.js";
import { warn } from "../capture/warnings.js";
import { createExporter } from "../export/exporter.js";
import type { ConfigureOptions } from "./configure-options.js";
import type { Config } from "./options.js";
import { isEnvironmentSet, readConfig, type Environment } from "./read-config.js";
import { RuntimeError } from "./runtime-error.js";

/**
 * Configures the SDK, once in a process, before the first wrapped function runs (spec 2.5, 3.1). An argument wins over
 * its `OBS_*` variable, the variable over the default; all options are in docs/reference/sdk-options.md. Afterwards the
 * settings are frozen.
 *
 * @throws `RuntimeError` with code `ALREADY_CONFIGURED` where it was called before, or where an earlier call of a wrapped
 * function has configured from the environment; with code `INVALID_OPTION` where a value is not allowed, naming each
 * option, its value and its limit. Nothing is configured then.
 */
export function configure(options: ConfigureOptions = {}): void {
  if (sharedState.phase === "frozen") {
    throw new RuntimeError(
      "configure() was already called, or the first wrapped call has configured from OBS_* variables.",
      "ALREADY_CONFIGURED",
    );
  }
  const { config, problems, warnings } = readConfig(options, readEnvironment());
  if (problems.length > 0) throw new RuntimeError(`configure(): ${problems.join("; ")}.`, "INVALID_OPTION");
  for (const warning of warnings) warn(`configure(): ${warning}`);
  start(config);
}

/**
 * What the first wrapped call does where nobody has called `configure()`: where any variable of the table is set, the
 * environment configures alone, and a bad one turns recording off, for an import must not crash its host. With none,
 * calls run unrecorded, and one warning says so.
 */
export function startFromEnvironment(): void {
  const environment = readEnvironment();
  if (!isEnvironmentSet(environment)) {
    sharedState.phase = "bare";
    warn("configure() was not called and no OBS_* variable is set: nothing is recorded.");
    return;
  }
  const { config, problems } = readConfig({}, environment);
  sharedState.phase = "frozen";
  try {
    if (problems.length > 0) throw new RuntimeError(problems.join("; "), "INVALID_OPTION");
    start(config);
  } catch (error) {
    warn(`Nothing is recorded: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** Builds what recording needs, and joins it. Nothing is changed where it throws. */
function start(config: Config): void {
  const prices = openPrices(config);
  const exporter = createExporter(config, prices);
  const runtime: Runtime = {
    config,
    policy: createTextPolicy(config),
    exporter,
    prices,
  };
  sharedState.runtime = Object.freeze(runtime);
  sharedState.phase = "frozen";
  exporter.watchExit();
}

function readEnvironment(): Environment {
  // The one place of the SDK that reads the environment.
  return process.env;
}
