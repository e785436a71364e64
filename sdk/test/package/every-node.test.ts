import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packApp, type PackedApp } from "./packed-app.js";

let app: PackedApp;
/** Paths of Node by its version. */
let nodes: ReadonlyMap<string, string>;
beforeAll(async () => {
  app = packApp();
  // All at once: where npx has not cached them, they wait for the network.
  nodes = new Map(
    await Promise.all(VERSIONS.map(async (version) => [version, await pathOfNode(version)] as const)),
  );
}, 300_000);
afterAll(() => app.remove());

/** A program that uses the package as `sdk`, and prints its spans, sorted by name. */
const USE = `
  sdk.configure({ service: "packed", enableCostCalculation: true });
  const answer = sdk.llm({ model: "gpt-5-mini" }, async (prompt) => ({ text: prompt + "!", usage: { input_tokens: 4_000_000, output_tokens: 0 } }));
  const main = sdk.agent("main", async () => { await answer("Hi"); for await (const part of sdk.task(async function* () { yield 1; })()) void part; });
  main().then(() => new Promise((resolve) => setTimeout(resolve, 200))).then(() => {
    const spans = sdk.takeSpans().sort((one, other) => one.name < other.name ? -1 : 1);
    console.log(JSON.stringify(spans.map(({ name, span_type, attributes }) => [name, span_type, attributes.cost_usd])));
  });
`;
const RECORDED = [
  ["llm", "llm", 1],
  ["main", "agent", null],
  ["task", "task", null],
];

const MANIFEST = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, unknown>>;
};
/** What an app imports, for each entry of the package with code: `@obspan/sdk/openai`. */
const ENTRIES = Object.keys(MANIFEST.exports)
  .filter((path) => path !== "./package.json")
  .map((path) => join("@obspan/sdk", path));

/** A program that prints the names that each entry exports. */
const nameEntries = (load: string): string => `
  (async () => {
    const names = {};
    for (const entry of ${JSON.stringify(ENTRIES)})
      names[entry] = Object.keys(await ${load}(entry)).filter((name) => name !== "default").sort();
    console.log(JSON.stringify(names));
  })();
`;

/** The oldest version that package.json allows, and each major version. */
const VERSIONS = ["20.16.0", "20", "22", "24", "26"];

describe.each(VERSIONS)("Node %s", (version) => {
  const run = (file: string, code: string): unknown => {
    const node = nodes.get(version) ?? "";
    return JSON.parse(execFileSync(node, [app.write(file, code)], { encoding: "utf8" }));
  };

  it("imports and uses the package", () => {
    expect(run("use.mjs", `import * as sdk from "@obspan/sdk"; ${USE}`)).toEqual(RECORDED);
  }, 180_000);

  it("requires and uses the package", () => {
    expect(run("use.cjs", `const sdk = require("@obspan/sdk"); ${USE}`)).toEqual(RECORDED);
  }, 180_000);

  it("imports and requires every entry, with the same names", () => {
    const imported = run("entries.mjs", nameEntries("import")) as object;
    expect(run("entries.cjs", nameEntries("require"))).toEqual(imported);
    const withoutNames = Object.entries(imported).filter(([, names]) => (names as string[]).length === 0);
    expect(withoutNames.map(([entry]) => entry)).toEqual(["@obspan/sdk/register"]);
  }, 180_000);
});

/** The npm package `node` contains the binary of a version; npx caches it. */
async function pathOfNode(version: string): Promise<string> {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const command = ["--yes", "--package", `node@${version}`, "node", "--print", "process.execPath"];
  const { stdout } = await promisify(execFile)("npx", command, { cwd: app.directory });
  return stdout.trim();
}
