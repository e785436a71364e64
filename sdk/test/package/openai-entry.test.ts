import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packApp, type PackedApp } from "./packed-app.js";

const TSC = join(import.meta.dirname, "../../../node_modules/typescript-7/bin/tsc");

let app: PackedApp;
beforeAll(() => {
  app = packApp();
});
afterAll(() => app.remove());

const run = (file: string): unknown =>
  JSON.parse(execFileSync(process.execPath, [file], { encoding: "utf8" }));

/** A client with the required shape. */
const CALL = `
  const answer = { id: "1", model: "m", choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } };
  const client = { baseURL: "https://api.groq.com/openai/v1", chat: { completions: { create: async () => answer } } };
  const show = () => console.log(JSON.stringify(sdk.takeSpans().map(({ name, attributes: { provider, tokens_output } }) => [name, provider, tokens_output])));
`;

it("works by import and by require in an app without an OpenAI client", () => {
  const use = `${CALL} sdk.configure(); wrapOpenAI(client).chat.completions.create({ model: "m" }).then(show);`;
  const recorded = [["chat m", "groq", 4]];
  const esm = `import * as sdk from "@obspan/sdk"; import { wrapOpenAI } from "@obspan/sdk/openai"; ${use}`;
  expect(run(app.write("openai.mjs", esm))).toEqual(recorded);
  const cjs = `const sdk = require("@obspan/sdk"); const { wrapOpenAI } = require("@obspan/sdk/openai"); ${use}`;
  expect(run(app.write("openai.cjs", cjs))).toEqual(recorded);
});

it("records one span for each call when the ESM and the CommonJS copy wrap the same client", () => {
  const both = `import * as sdk from "@obspan/sdk"; import { wrapOpenAI } from "@obspan/sdk/openai"; import { createRequire } from "node:module";
    ${CALL} sdk.configure();
    const { wrapOpenAI: again } = createRequire(import.meta.url)("@obspan/sdk/openai");
    again(wrapOpenAI(client)).chat.completions.create({ model: "m" }).then(show);`;
  expect(run(app.write("openai-both.mjs", both))).toHaveLength(1);
});

it("has types that need no OpenAI client, and keep the type of the client", () => {
  const file = app.write(
    "openai.mts",
    `import { wrapOpenAI, type WrapOpenAIOptions } from "@obspan/sdk/openai";
     class Client { chat = { completions: { create: async (): Promise<number> => 1 } }; }
     const options: WrapOpenAIOptions = { provider: "gateway", includeUsage: false };
     export const client: Client = wrapOpenAI(new Client(), options);
     export const answer: Promise<number> = client.chat.completions.create();`,
  );
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2023",
    types: [],
    // Also checks libraries, to find types that are missing in the package.
    skipLibCheck: false,
  };
  const project = app.write("tsconfig.json", JSON.stringify({ compilerOptions, files: [file] }));
  const { status, stdout } = spawnSync(process.execPath, [TSC, "--project", project], { encoding: "utf8" });
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});
