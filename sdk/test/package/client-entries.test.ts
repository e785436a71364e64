import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packApp, type PackedApp } from "./packed-app.js";

let app: PackedApp;
beforeAll(() => {
  app = packApp();
});
afterAll(() => app.remove());

const run = (file: string): unknown =>
  JSON.parse(execFileSync(process.execPath, [file], { encoding: "utf8" }));

const SHOW = `.then(() => console.log(JSON.stringify(sdk.takeSpans().map(({ name, attributes: a }) =>
  [name, a.provider, a.tokens_input, a.tokens_output]))));`;

it.each([
  [
    "anthropic",
    "wrapAnthropic",
    `({ messages: { create: async () => ({ usage: { input_tokens: 3, cache_read_input_tokens: 2, output_tokens: 4 } }) } })
      .messages.create({ model: "m" })`,
    ["chat m", "anthropic", 5, 4],
  ],
  [
    "google",
    "wrapGoogleGenAI",
    `({ models: { generateContent: async () => ({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, thoughtsTokenCount: 2 } }) } })
      .models.generateContent({ model: "m", contents: "Hi" })`,
    ["chat m", "google", 3, 3],
  ],
])(
  "the entry %s works by import and by require in an app without a client",
  (entry, wrap, call, recorded) => {
    const use = `sdk.configure(); ${wrap}${call}${SHOW}`;
    const esm = `import * as sdk from "@obspan/sdk"; import { ${wrap} } from "@obspan/sdk/${entry}"; ${use}`;
    expect(run(app.write(`${entry}.mjs`, esm))).toEqual([recorded]);
    const cjs = `const sdk = require("@obspan/sdk"); const { ${wrap} } = require("@obspan/sdk/${entry}"); ${use}`;
    expect(run(app.write(`${entry}.cjs`, cjs))).toEqual([recorded]);
  },
);
