/** Turns the example of a page into an app, with and without Obspan. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./replay-server.mjs";

/**
 * An example of a page of the guide.
 *
 * @param {string} page
 * @param {number} index - among the examples of the page.
 */
export function exampleOf(page, index = 0) {
  const text = readFileSync(join(ROOT, "docs/guide", `${page}.md`), "utf8");
  const examples = Array.from(text.matchAll(/^```(?:ts|js)\n(.*?)^```$/gms), ([, code]) => code);
  const example = examples[index];
  if (example === undefined) throw new Error(`${page}.md has ${examples.length} examples.`);
  return example;
}

/**
 * The app that a user had before Obspan, and the number of lines that were added to it. A line that changes counts as none, an
 * expression that the page breaks over several lines as one.
 *
 * @param {string} example
 * @param {readonly (readonly [text: string, own: string])[]} unwrap - what the app had instead; nothing if the text is new.
 */
export function withoutObspan(example, unwrap) {
  let code = example;
  let added = 0;
  for (const [text, own] of unwrap) {
    if (!code.includes(text)) throw new Error(`The example has no ${text}`);
    code = code.replace(text, own);
    if (own === "") added += 1;
  }
  const names = Array.from(code.matchAll(/^import \{ (.*) \} from "@obspan\/.*";$/gm), ([, list]) => list);
  const isOurs = (line) =>
    line.includes('"@obspan/') ||
    names.some((list) => list.split(", ").some((name) => line.startsWith(`${name}(`)));
  const lines = code.split("\n");
  const own = lines.filter((line) => !isOurs(line));
  return { code: own.join("\n"), added: added + lines.length - own.length };
}

/** The example without `configure()`, for an app that is configured by its environment. */
export function withoutConfigure(example) {
  return example
    .replace(/^configure\(.*\n/m, "")
    .replace('import { configure } from "@obspan/sdk";\n', "")
    .replace("import { configure, ", "import { ");
}
