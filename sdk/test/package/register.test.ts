import { execFile } from "node:child_process";
import { symlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Receiver } from "../export/receiver.js";
import { programOf } from "../frameworks/check/npx-program.mjs";
import { RUNTIMES } from "../frameworks/runtimes/cells.mjs";
import { recordedExchange } from "../replay/exchange.js";
import { packApp, type PackedApp } from "./packed-app.js";

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

const CALL = `
  const client = new OpenAI({ apiKey: "test-key", baseURL: process.env.MODEL_URL, maxRetries: 0 });
  await client.chat.completions.create({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hi" }] });
`;
const ESM = `import OpenAI from "openai"; ${CALL}`;
const COMMONJS = `const OpenAI = require("openai"); (async () => { ${CALL} })();`;

let app: PackedApp;
let model: Server;
let receiver: Receiver;
let modelUrl = "";
beforeAll(async () => {
  app = packApp();
  symlinkSync(dirname(resolve("openai")), join(app.directory, "node_modules/openai"));
  const { response } = recordedExchange("openai-chat-basic");
  model = createServer((request, reply) => {
    request.resume().on("end", () => {
      reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(response.body));
    });
  });
  await new Promise<void>((listening) => model.listen(0, "127.0.0.1", listening));
  modelUrl = `http://127.0.0.1:${(model.address() as { port: number }).port}/v1`;
  receiver = new Receiver();
  await receiver.start();
});
afterAll(async () => {
  app.remove();
  model.close();
  await receiver.stop();
});
beforeEach(() => void (receiver.requests.length = 0));

async function start(
  args: readonly string[],
  env: Record<string, string> = {},
  program = process.execPath,
): Promise<string> {
  const { stderr } = await run(program, [...args], {
    cwd: app.directory,
    env: {
      ...process.env,
      MODEL_URL: modelUrl,
      OBS_PUSH_URL: receiver.url,
      OBS_SERVICE: "registered",
      // A limit only: on a busy machine, the collector answers late.
      OBS_SHUTDOWN_TIMEOUT: "60",
      OBS_PROVIDER_HOSTS: new URL(modelUrl).host,
      ...env,
    },
  });
  return stderr;
}

const spans = () => receiver.requests.flatMap(({ batch }) => batch.spans);

describe("@obspan/sdk/register", () => {
  it("records an app of ES modules that does not know of it", async () => {
    app.write("app.mjs", ESM);
    await start(["--import", "@obspan/sdk/register", "app.mjs"]);
    const { tokens_input, tokens_output } = recordedExchange("openai-chat-basic").expect;
    expect(spans()).toMatchObject([
      { span_type: "llm", status: "OK", attributes: { provider: "gateway", tokens_input, tokens_output } },
    ]);
  });

  it.each([
    ["--import", "app.cjs"],
    ["--require", "app.cjs"],
    ["--require", "app.mjs"],
  ])("records with %s %s", async (flag, file) => {
    app.write("app.mjs", ESM);
    app.write("app.cjs", COMMONJS);
    await start([flag, "@obspan/sdk/register", file]);
    expect(spans().map(({ name }) => name)).toEqual(["chat gpt-4o-mini"]);
  });

  // The matrix of sdk/test/frameworks/runtimes has each form of an app and each end of a process.
  it.each(RUNTIMES.filter(({ name }) => !name.startsWith("Node")))(
    "records on $name, also right before the end",
    async ({ program, run: command = [], load, ends = ["process.exit"] }) => {
      // Deno finds the packages that are named there.
      app.write("package.json", JSON.stringify({ dependencies: { "@obspan/sdk": "*", openai: "*" } }));
      for (const end of ends) {
        app.write("app.mjs", `${ESM} ${end}(0);`);
        const path = await programOf(program);
        // On a busy machine the second may pass by which the SDK delays the end.
        for (let tries = 0; tries < 5 && spans().length === 0; tries += 1)
          await start([...command, ...load, "app.mjs"], {}, path);
        expect(spans().map(({ name }) => name)).toEqual(["chat gpt-4o-mini"]);
      }
    },
    180_000,
  );

  it("records a call once if its client is wrapped", async () => {
    app.write(
      "wrapped.mjs",
      `import { wrapOpenAI } from "@obspan/sdk/openai"; import OpenAI_ from "openai";
       class OpenAI { constructor(options) { return wrapOpenAI(new OpenAI_(options)); } } ${CALL}`,
    );
    await start(["--import", "@obspan/sdk/register", "wrapped.mjs"]);
    expect(spans().map(({ name }) => name)).toEqual(["chat gpt-4o-mini"]);
  });

  it("leaves an app alone that calls no model, and says with OBS_DEBUG what it recorded", async () => {
    app.write("plain.mjs", `await fetch(process.env.MODEL_URL, { method: "POST", body: "{}" });`);
    expect(await start(["--import", "@obspan/sdk/register", "plain.mjs"])).toBe("");
    expect(spans()).toEqual([]);
    app.write("app.mjs", ESM);
    const said = await start(["--import", "@obspan/sdk/register", "app.mjs"], { OBS_DEBUG: "true" });
    expect(said).toContain(`Recorded requests: ${new URL(modelUrl).host} 1`);
  });
});
