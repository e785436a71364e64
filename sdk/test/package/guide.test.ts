import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packApp, type PackedApp } from "./packed-app.js";

const { resolve } = createRequire(import.meta.url);
const TSC = resolve("typescript/bin/tsc");
const ROOT = join(import.meta.dirname, "../../..");

let app: PackedApp;
beforeAll(() => {
  app = packApp();
  symlinkSync(dirname(resolve("openai")), join(app.directory, "node_modules/openai"));
});
afterAll(() => app.remove());

/** Every code example of the SDK's guides. */
const EXAMPLES = ["docs/guide/sdk.md", "docs/guide/openai.md"].flatMap((page) => {
  const blocks = readFileSync(join(ROOT, page), "utf8").matchAll(/^```(ts|js)\n(.*?)^```/gms);
  return [...blocks].map(([, language = "", code = ""], index) => ({
    page,
    number: index + 1,
    language,
    code,
  }));
});

it("the guides have examples", () => {
  expect(EXAMPLES.length).toBeGreaterThanOrEqual(3);
});

it.each(EXAMPLES)("example $number of $page compiles in strict mode and runs", (example) => {
  const { language, code, number } = example;
  let file = app.write(`example-${number}.m${language}`, code);
  if (language === "ts") {
    const options = ["--strict", "--module", "node16", "--target", "es2022", "--lib", "es2023,dom"];
    const command = [TSC, ...options, "--skipLibCheck", file];
    execFileSync(process.execPath, command, { cwd: app.directory, encoding: "utf8" });
    file = file.replace(/\.mts$/, ".mjs");
  }
  const env = { ...process.env, OPENAI_API_KEY: "test-key" };
  const output = execFileSync(process.execPath, [file], { encoding: "utf8", env, stdio: "pipe" });
  expect(output).toBe("");
});
