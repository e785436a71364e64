import type { Option } from "./option.js";
import { OPTION_LIST } from "./options.js";
import { formatValue } from "./show-value.js";

/** The options by section, in the order of the table. */
export function optionsBySection(): Map<string, Option[]> {
  const sections = new Map<string, Option[]>();
  for (const option of OPTION_LIST) {
    const section = sections.get(option.section);
    if (section === undefined) sections.set(option.section, [option]);
    else section.push(option);
  }
  return sections;
}

/** The list of options in `obspan serve --help`: each with its variable, default and rule. */
export function optionsHelp(): string {
  const lines = ["Options, each set by its environment variable or by its key in the YAML file:"];
  for (const [section, options] of optionsBySection()) {
    if (section !== "") lines.push("", `${section}:`);
    for (const option of options) {
      const scope = option.envOnly ? " (environment only)" : "";
      lines.push("", `  ${option.key}  ${option.env}${scope}`);
      lines.push(`      ${option.doc.replaceAll("`", "")}`);
      lines.push(`      Default ${formatValue(option.default)}; ${option.kind.rule}.`);
    }
  }
  return lines.join("\n");
}

const INTRODUCTION = `# Options of the collector

<!-- Generated from collector-core/src/config/options.ts by \`npm run docs\`. Do not edit. -->

The collector reads each option from its environment variable, then from the YAML file, then uses the default. The path
of the YAML file is in \`OBS_SERVER_CONFIG\`, or follows \`obspan serve --config\`. An empty variable and a YAML key
without a value count as unset. In a variable, commas separate the items of a list, \`true\` and \`false\` ignore letter
case, and numbers are plain decimals.

The collector does not start with an invalid value. \`obspan check-config\` lists every problem without starting the
collector. An unknown name is only a warning.
`;

/** The page docs/reference/options.md. */
export function renderOptionsReference(): string {
  const parts = [INTRODUCTION];
  for (const [section, options] of optionsBySection()) {
    if (section !== "") parts.push(`\n## ${section}\n`);
    parts.push("\n| YAML key | variable | default | value | meaning |\n| --- | --- | --- | --- | --- |\n");
    for (const option of options) {
      const key = option.envOnly ? "–" : `\`${option.key}\``;
      const byDefault = isWord(option.default)
        ? `\`${formatValue(option.default)}\``
        : formatValue(option.default);
      const cells = [key, `\`${option.env}\``, byDefault, option.kind.rule, option.doc];
      parts.push(`| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`);
    }
  }
  return parts.join("");
}

/** False for values that are described by a word: `unset`, `empty`. */
function isWord(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
