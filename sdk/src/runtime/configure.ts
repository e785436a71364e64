import type { ConfigureOptions } from "../config/configure-options.js";
import type { Config } from "../config/options.js";
import { isEnvironmentSet, readConfig } from "../config/read-config.js";
import { RuntimeError } from "../config/runtime-error.js";
import { createExporter } from "../export/exporter.js";
import { loadLateCode, withLateCode } from "../late-code.js";
import { readEnvironment } from "../platform/environment.js";
import { createSpanPricer } from "../prices/span-pricer.js";
import { createTextPolicy } from "../span/text-policy.js";
import { warn } from "../warnings.js";
import { recordingState, type Runtime } from "./runtime.js";

/**
 * Configures the SDK. Call it once in a process, before the first wrapped function runs (spec 2.5, 3.1). An argument wins
 * over its `OBS_*` variable, the variable over the default; docs/reference/sdk-options.md lists all options. The settings
 * cannot be changed afterwards.
 *
 * @throws `RuntimeError` with code `ALREADY_CONFIGURED` if it was called before, or if an earlier call of a wrapped
 * function configured the SDK from the environment.
 * @throws `RuntimeError` with code `INVALID_OPTION` if a value is not allowed. The message names each invalid option, its
 * value and its limit. Nothing is configured then.
 *
 * @example
 * ```ts
 * configure({ service: "shop", pushUrl: "http://127.0.0.1:8080" });
 * ```
 */
export function configure(options: ConfigureOptions = {}): void {
  if (recordingState.phase === "frozen") {
    throw new RuntimeError(
      "configure() was already called, or the first wrapped call configured from OBS_* variables.",
      "ALREADY_CONFIGURED",
    );
  }
  const { config, problems } = readConfig(options, readEnvironment());
  if (problems.length > 0) throw new RuntimeError(`configure(): ${problems.join("; ")}.`, "INVALID_OPTION");
  start(config);
  withLateCode((late) => late?.warnUnknownOptions(options));
}

/**
 * {@link configure}, for a module that is evaluated more than once in a process, such as a module that several bundles of a
 * Next.js app contain, or a setup file of a test runner. If the SDK is configured already, it changes nothing, and warns if
 * the options differ.
 *
 * @throws `RuntimeError` with code `INVALID_OPTION` if a value of the first call is not allowed.
 *
 * @example
 * ```ts
 * configureOnce({ service: "shop", pushUrl: "http://127.0.0.1:8080" });
 * ```
 */
export function configureOnce(options: ConfigureOptions = {}): void {
  if (recordingState.phase !== "frozen") {
    configure(options);
    return;
  }
  const { config } = recordingState.runtime ?? {};
  if (config !== undefined)
    withLateCode((late) => late?.warnDifferentOptions(options, readEnvironment(), config));
}

/**
 * Whether spans are recorded: `configure()` was called, or an earlier call of a wrapped function configured the SDK from the
 * environment.
 *
 * @example
 * ```ts
 * if (!isConfigured()) configure({ service: "shop" });
 * ```
 */
export function isConfigured(): boolean {
  return recordingState.runtime !== undefined;
}

/**
 * What the first wrapped call does if `configure()` was not called. If any variable of the option table is set, the
 * environment configures the SDK; an invalid variable turns recording off, because an import must not crash its host. If
 * none is set, calls run unrecorded and one warning says so.
 */
export function startFromEnvironment(): void {
  const environment = readEnvironment();
  if (!isEnvironmentSet(environment)) {
    recordingState.phase = "unset";
    warn("configure() was not called and no OBS_* variable is set: nothing is recorded.");
    return;
  }
  const { config, problems } = readConfig({}, environment);
  recordingState.phase = "frozen";
  try {
    if (problems.length > 0) throw new RuntimeError(problems.join("; "), "INVALID_OPTION");
    start(config);
  } catch (error) {
    warn(`Nothing is recorded: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** Builds what recording needs. Changes nothing if it throws. */
function start(config: Config): void {
  const prices = createSpanPricer(config);
  const exporter = createExporter(config, prices, readEnvironment());
  const runtime: Runtime = { config, policy: createTextPolicy(config), exporter, prices };
  recordingState.runtime = Object.freeze(runtime);
  recordingState.phase = "frozen";
  void loadLateCode();
}
