import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { build } from "vite";
import { startReceiver } from "../export/receiver.js";
import { packApp, type PackedApp } from "./packed-app.js";

let app: PackedApp;
beforeAll(() => {
  app = packApp();
});
afterAll(() => app.remove());

/** Uses every file of the package that loads later: delivery, process exit and prices. */
const APP = `
  import { agent, configure, llm, flush } from "@obspan/sdk";
  import { wrapOpenAI } from "@obspan/sdk/openai";
  configure({ service: "bundled", pushUrl: process.env.PUSH_URL, enableCostCalculation: true });
  const answer = llm({ model: "gpt-5-mini" }, async () => ({ text: "Hi", usage: { input_tokens: 4_000_000, output_tokens: 0 } }));
  const client = wrapOpenAI({ chat: { completions: { create: async () => ({ usage: { completion_tokens: 4 } }) } } });
  const main = agent("main", async () => {
    await answer("Hi");
    await client.chat.completions.create({});
  });
  // After a flush, the code that sends is loaded, on a slow machine too.
  main().then(flush).then(() => {
    agent("last", () => 1)();
    process.exit(0);
  });
`;

it.each([
  ["in files", { codeSplitting: true }],
  ["in one file", { codeSplitting: false }],
  ["in CommonJS", { format: "cjs" as const, entryFileNames: "[name].cjs", chunkFileNames: "[name].cjs" }],
])("an app that is bundled %s delivers all its spans", async (_, output) => {
  const outDir = join(app.directory, "out");
  const entry = app.write("bundle.mjs", APP);
  await build({
    root: app.directory,
    configFile: false,
    logLevel: "warn",
    ssr: { noExternal: true },
    build: { ssr: entry, outDir, emptyOutDir: true, target: "node20", rolldownOptions: { output } },
  });
  const receiver = await startReceiver();
  const extension = "format" in output ? "cjs" : "mjs";
  const file = join(outDir, `bundle.${extension}`);
  const env = { ...process.env, PUSH_URL: receiver.url };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { env });
  expect(stdout + stderr).toBe("");
  const spans = receiver.requests.flatMap(({ batch }) => batch.spans);
  expect(spans.map(({ name, attributes }) => [name, attributes?.["cost_usd"]])).toEqual([
    ["llm", 1],
    ["chat", undefined],
    ["main", undefined],
    ["last", undefined],
  ]);
});
