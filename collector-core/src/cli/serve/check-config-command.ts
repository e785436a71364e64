import type { Command } from "commander";
import type { LoadedConfig } from "../../config/load-config.js";
import { OPTION_LIST } from "../../config/options.js";
import { shownValue } from "../../config/quoted.js";
import { formatValue } from "../../config/show-value.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../command-failure.js";
import { printWarnings, readConfiguration, refuse } from "./configuration.js";

/** `obspan check-config`. */
export function configure(command: Command, { env, output, action }: CommandContext): void {
  command.option("--config <file>", "YAML file; overrides OBS_SERVER_CONFIG").action(
    action((flags: { readonly config?: string }) => {
      const result = readConfiguration(env, flags.config);
      if (result.type === "refused") return refuse(output, "The configuration has", result);
      printWarnings(output, result.loaded.warnings);
      output.print(`The configuration is valid.\n${configuredValues(result.loaded)}`);
      return EXIT.ok;
    }),
  );
}

function configuredValues({ config, sources }: LoadedConfig): string {
  const set = OPTION_LIST.filter(({ key }) => sources[key] !== "default");
  if (set.length === 0) return "Every value is its default.\n";
  return set
    .map((option) => {
      const { key } = option;
      return `  ${key} = ${formatValue(shownValue(option, config[key]))} (${sources[key]})\n`;
    })
    .join("");
}
