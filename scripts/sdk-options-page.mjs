/** Renders the reference page of the SDK options: names, variables and rules from their table, meanings from the TSDoc. */
import { readFileSync } from "node:fs";
import ts from "typescript";

const INTRODUCTION = `# Options of the SDK

<!-- Generated from sdk/src/config by \`npm run docs\`. Do not edit. -->

The options of \`configure()\`. Each can also be set by an environment variable; an argument wins over the variable, the
variable over the default. An empty variable counts as not set, \`true\` and \`false\` may be in any letter case, numbers are plain
decimals. For an invalid value \`configure()\` throws an error with the option, the value and the rule. If only the environment
configures, an invalid value is a warning, and nothing is recorded.

| option | variable | default | value | meaning |
| --- | --- | --- | --- | --- |
`;

/**
 * @param {typeof import("../sdk/src/config/options.ts")} table
 * @returns {string} the page docs/reference/sdk-options.md.
 */
export function renderSdkOptions({ OPTION_LIST, variableOf }) {
  const meanings = readMeanings(new URL("../sdk/src/config/configure-options.ts", import.meta.url));
  const rows = OPTION_LIST.map(([name, option]) => {
    const variable = variableOf(name);
    const cells = [
      `\`${name}\``,
      variable === undefined ? "–" : `\`${variable}\``,
      option.default === undefined ? "unset" : `\`${option.default}\``,
      option.kind.rule,
      meanings.get(name),
    ];
    return `| ${cells.join(" | ").replaceAll(/\s+/g, " ")} |\n`;
  });
  return INTRODUCTION + rows.join("");
}

/** The TSDoc of each property of the interface `ConfigureOptions`. */
function readMeanings(url) {
  const source = ts.createSourceFile(
    "configure-options.ts",
    readFileSync(url, "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const meanings = new Map();
  const visit = (node) => {
    if (ts.isPropertySignature(node)) {
      const [comment] = ts.getJSDocCommentsAndTags(node);
      meanings.set(node.name.getText(), ts.getTextOfJSDocComment(comment?.comment) ?? "");
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return meanings;
}
