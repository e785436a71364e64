import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packApp, type PackedApp } from "./packed-app.js";

const { resolve } = createRequire(import.meta.url);
const ROOT = join(import.meta.dirname, "../../..");
const TSC = join(ROOT, "node_modules/typescript-7/bin/tsc");
/** The guides whose examples are run here. Those to other libraries are run beside the libraries. */
const GUIDES = ["docs/guide/sdk.md", "docs/guide/openai.md"];

let app: PackedApp;
beforeAll(() => {
  app = packApp();
  symlinkSync(dirname(resolve("openai")), join(app.directory, "node_modules/openai"));
});
afterAll(() => app.remove());

/** Every code example of the SDK's guides. */
const EXAMPLES = GUIDES.flatMap((page) => {
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

const fileOf = ({ page, number, language }: (typeof EXAMPLES)[number]): string =>
  `${basename(page, ".md")}-${number}.m${language}`;

it("the examples in TypeScript compile in strict mode", () => {
  const examples = EXAMPLES.filter(({ language }) => language === "ts");
  const files = examples.map((example) => app.write(fileOf(example), example.code));
  const options = ["--strict", "--module", "node16", "--target", "es2022", "--lib", "es2023,dom"];
  const command = [TSC, ...options, "--skipLibCheck", ...files];
  execFileSync(process.execPath, command, { cwd: app.directory, encoding: "utf8" });
  // The types of the client libraries are large.
}, 120_000);

it.each(EXAMPLES)("example $number of $page runs", (example) => {
  let file = join(app.directory, fileOf(example));
  if (example.language === "ts") file = file.replace(/\.mts$/, ".mjs");
  else app.write(fileOf(example), example.code);
  const env = {
    ...process.env,
    OPENAI_API_KEY: "test-key",
    ANTHROPIC_API_KEY: "test-key",
    GEMINI_API_KEY: "test-key",
    MISTRAL_API_KEY: "test-key",
    CO_API_KEY: "test-key",
  };
  const output = execFileSync(process.execPath, [file], { encoding: "utf8", env, stdio: "pipe" });
  expect(output).toBe("");
});
