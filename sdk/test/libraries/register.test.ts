import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import nodeModule from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { build } from "vite";
import { recordedExchange } from "../replay/exchange.js";
import { startReplayServer, type ReplayServer } from "../replay/replay-server.js";
import { SPAN_TOKENS, startChatServer, type ChatServer } from "./completion-server.js";
import { guideSnippets } from "./guide-snippet.js";
import { expectOneCall } from "./one-call.js";
import { packRegisteredApp, type RegisteredApp } from "./registered-app.js";
import { treeOf } from "./taken-spans.js";

/** Node 20 has no hooks of modules. */
const canHook = "registerHooks" in nodeModule;

let app: RegisteredApp;
let server: ChatServer;
let environment: Record<string, string>;
beforeAll(async () => {
  app = packRegisteredApp();
  server = await startChatServer();
  environment = { MODEL_URL: server.url, OBS_PROVIDER_HOSTS: new URL(server.url).host };
});
afterAll(async () => {
  app.remove();
  await server.close();
});

const IMPORT = ["--import", "@obspan/sdk/register"];
const REQUIRE = ["--require", "@obspan/sdk/register"];

/** Code that imports names from modules, and then runs `main`; the last module is that of the module system. */
function esm(imports: Readonly<Record<string, string>>, main: string): string {
  const lines = Object.entries(imports).map(([from, names]) => `import { ${names} } from "${from}";`);
  return `${lines.join("\n")}\n${main}`;
}

function commonJs(imports: Readonly<Record<string, string>>, main: string): string {
  const lines = Object.entries(imports).map(([from, names]) => `const { ${names} } = require("${from}");`);
  return `${lines.join("\n")}\n(async () => { ${main} })();`;
}

/** How an app is loaded: the flag of Node, the file, and how its code is written. */
const LOADS = [
  { flags: IMPORT, file: "app.mjs", write: esm },
  { flags: IMPORT, file: "app.cjs", write: commonJs },
  { flags: REQUIRE, file: "app.mjs", write: esm },
  { flags: REQUIRE, file: "app.cjs", write: commonJs },
] as const;

const MODEL = `{ apiKey: "k", baseURL: process.env.MODEL_URL }`;

describe("the AI SDK", () => {
  const CALLS = [
    ["7", "ai", "@ai-sdk/openai", "generateText", "await "],
    ["7", "ai", "@ai-sdk/openai", "streamText", ""],
    ["6", "ai-6", "@ai-sdk/openai-for-6", "generateText", "await "],
    ["6", "ai-6", "@ai-sdk/openai-for-6", "streamText", ""],
  ] as const;

  it.each(CALLS)(
    "%s is recorded from the first call on, and leaves the context of the app as it was (%s, %s, %s)",
    async (version, ai, provider, call, wait) => {
      server.answerWith({ text: "Hello there" });
      const main = `
      const settings = { model: createOpenAI(${MODEL}).chat("m"), prompt: "Hi" };
      const elsewhere = new Promise((resolve) => setTimeout(() => resolve(currentSpan().spanId), 5));
      const answer = await (${wait}${call}(settings)).text;
      if (answer !== "Hello there") throw new Error(answer);
      if (currentSpan().spanId !== "" || (await elsewhere) !== "") throw new Error("The context has changed.");
      console.log(JSON.stringify(stats().hooks));`;
      const imports = { [ai]: call, [provider]: "createOpenAI", "@obspan/sdk": "currentSpan, stats" };
      app.write("app.mjs", esm(imports, main));
      const { spans, stdout } = await app.run([...IMPORT, "app.mjs"], environment);
      const root = version === "7" ? call : "generate";
      expect(treeOf(spans)).toEqual([`task ${root}`, "  task step 1", "    llm chat m"]);
      expectOneCall(spans, { tokens: SPAN_TOKENS });
      expect(JSON.parse(stdout)).toMatchObject({ fetch: "hooked", "ai-sdk": "hooked" });
    },
  );

  it("6 is recorded once in CommonJS, with its tools, beside registerAISDK() and a wrapped client inside", async () => {
    server.answerWith({ tools: [["c1", "weather", { city: "Rome" }]] }, { text: "Sunny" });
    const main = `
      registerAISDK();
      const weather = tool({
        inputSchema: z.object({ city: z.string() }),
        execute: async ({ city }) => observe("look up", async () => city),
      });
      const model = createOpenAI(${MODEL}).chat("m");
      await generateText({ model, prompt: "Hi", tools: { weather }, stopWhen: stepCountIs(3) });`;
    const imports = {
      "ai-6": "generateText, stepCountIs, tool",
      "@ai-sdk/openai-for-6": "createOpenAI",
      "@obspan/sdk": "observe",
      "@obspan/sdk/ai-sdk": "registerAISDK",
      zod: "z",
    };
    app.write("app.cjs", commonJs(imports, main));
    const { spans } = await app.run([...IMPORT, "app.cjs"], environment);
    expect(treeOf(spans)).toEqual([
      "task generate",
      "  task step 1",
      "    llm chat m",
      "    tool weather",
      "      span look up",
      "  task step 2",
      "    llm chat m",
    ]);
  });

  it("is left alone where nothing is recorded", async () => {
    server.answerWith({ text: "Hello there" });
    const main = `console.log((await generateText({ model: createOpenAI(${MODEL}).chat("m"), prompt: "Hi" })).text);`;
    app.write("app.mjs", esm({ ai: "generateText", "@ai-sdk/openai": "createOpenAI" }, main));
    // Without any option, the SDK warns once and records nothing.
    const off = { ...environment, OBS_PUSH_URL: undefined, OBS_SERVICE: undefined };
    const { spans, stdout, stderr } = await app.run([...IMPORT, "app.mjs"], off);
    expect([spans, stdout]).toEqual([[], "Hello there\n"]);
    expect(stderr.match(/\[obspan\]/g)).toHaveLength(1);
  });
});

describe("LangChain", () => {
  const imports = {
    "@langchain/openai": "ChatOpenAI",
    "@langchain/core/prompts": "ChatPromptTemplate",
    "@obspan/sdk": "stats",
  };
  const main = `
    const model = new ChatOpenAI({ model: "m", apiKey: "k", maxRetries: 0, configuration: ${MODEL} });
    const { content } = await ChatPromptTemplate.fromMessages([["user", "{question}"]]).pipe(model).invoke({ question: "Hi" });
    console.log(content, stats().hooks.langchain);`;
  const TREE = ["task RunnableSequence", "  task ChatPromptTemplate", "  llm chat m"];

  it.skipIf(!canHook).each(LOADS)(
    "is recorded with $flags.0 in $file, and each call once",
    async ({ flags, file, write }) => {
      server.answerWith({ text: "Hello there" });
      app.write(file, write(imports, main));
      const { spans, stdout, stderr } = await app.run([...flags, file], environment);
      expect([stdout, stderr]).toEqual(["Hello there hooked\n", ""]);
      expect(treeOf(spans)).toEqual(TREE);
      expectOneCall(spans, { tokens: SPAN_TOKENS });
    },
  );

  it.skipIf(canHook)("is recorded by fetch alone on a version of Node without hooks of modules", async () => {
    server.answerWith({ text: "Hello there" });
    app.write("app.mjs", esm(imports, main));
    const debug = { ...environment, OBS_DEBUG: "true" };
    const { spans, stdout, stderr } = await app.run([...IMPORT, "app.mjs"], debug);
    expect(stdout).toContain("Hello there unsupported\n");
    expect(stderr).toContain("langchain unsupported, mcp unsupported, bedrock unsupported");
    expect(treeOf(spans)).toEqual(["llm chat m"]);
    expectOneCall(spans, { tokens: SPAN_TOKENS });
  });

  it.skipIf(!canHook)(
    "over a wrapped client is recorded once, and beside instrumentLangChain() too",
    async () => {
      server.answerWith({ text: "Hello there" });
      const wrapped = `
      instrumentLangChain(callbackManager);
      const model = new ChatOpenAI({ model: "m", apiKey: "k", maxRetries: 0 });
      model.completions.client = wrapOpenAI(new OpenAI(${MODEL}));
      await ChatPromptTemplate.fromMessages([["user", "{question}"]]).pipe(model).invoke({ question: "Hi" });`;
      const more = {
        ...imports,
        openai: "OpenAI",
        "@obspan/sdk/openai": "wrapOpenAI",
        "@obspan/sdk/langchain": "instrumentLangChain",
      };
      const manager = `import * as callbackManager from "@langchain/core/callbacks/manager";\n`;
      app.write("app.mjs", manager + esm(more, wrapped));
      const { spans } = await app.run([...IMPORT, "app.mjs"], environment);
      expect(treeOf(spans)).toEqual(TREE);
      expectOneCall(spans, { tokens: SPAN_TOKENS });
    },
  );

  it.skipIf(!canHook)("is recorded in each of its copies in a process, as ESM and as CommonJS", async () => {
    const scope = join(app.directory, "plugin/node_modules/@langchain");
    mkdirSync(scope, { recursive: true });
    const original = join(import.meta.dirname, "node_modules/@langchain/core");
    cpSync(original, join(scope, "core"), { recursive: true });
    const code = `
      const { CallbackManager } = await import("@langchain/core/callbacks/manager");
      const { RunnableLambda } = await import("@langchain/core/runnables");
      await RunnableLambda.from(() => 1).withConfig({ runName: NAME }).invoke("x");
      export { CallbackManager };`;
    app.write("plugin/plugin.mjs", code.replace("NAME", `"plugin"`));
    app.write(
      "app.mjs",
      `${code.replace("NAME", `"app"`)}
      import { createRequire } from "node:module";
      import * as plugin from "./plugin/plugin.mjs";
      const require = createRequire(import.meta.url);
      const { RunnableLambda: Lambda } = require("@langchain/core/runnables");
      await Lambda.from(() => 1).withConfig({ runName: "required" }).invoke("x");
      console.log(plugin.CallbackManager === CallbackManager);`,
    );
    const { spans, stdout } = await app.run([...IMPORT, "app.mjs"], environment);
    expect(stdout).toBe("false\n");
    expect(spans.map(({ name }) => name)).toEqual(["plugin", "app", "required"]);
  });

  it("that CommonJS has loaded before the hook is hooked", async () => {
    app.write("early.cjs", `require("@langchain/core/callbacks/manager");`);
    app.write(
      "app.cjs",
      commonJs(
        { "@langchain/core/runnables": "RunnableLambda" },
        `await RunnableLambda.from(() => 1).invoke("x");`,
      ),
    );
    const { spans } = await app.run(["--require", "./early.cjs", ...REQUIRE, "app.cjs"]);
    expect(treeOf(spans)).toEqual(["task RunnableLambda"]);
  });
});

describe.skipIf(!canHook)("MCP", () => {
  const V1 = {
    "@modelcontextprotocol/sdk/client/index.js": "Client",
    "@modelcontextprotocol/sdk/server/mcp.js": "McpServer",
    "@modelcontextprotocol/sdk/inMemory.js": "InMemoryTransport",
    zod: "z",
  };
  const V2 = {
    "@modelcontextprotocol/client": "Client, InMemoryTransport",
    "@modelcontextprotocol/server": "McpServer",
    zod: "z",
  };
  const main = `
    const server = new McpServer({ name: "notes", version: "1.0.0" });
    const inputSchema = z.object({ query: z.string() });
    server.registerTool("search", { inputSchema }, async ({ query }) => ({ content: [{ type: "text", text: query }] }));
    const [one, other] = InMemoryTransport.createLinkedPair();
    await server.connect(one);
    const client = new Client({ name: "app", version: "1.0.0" });
    await client.connect(other);
    console.log((await client.callTool({ name: "search", arguments: { query: "tea" } })).content[0].text);
    await client.close();`;

  it.each([1, 2].flatMap((major) => LOADS.map((load) => ({ major, ...load }))))(
    "$major is recorded on both sides with $flags.0 in $file",
    async ({ major, flags, file, write }) => {
      app.write(file, write(major === 1 ? V1 : V2, main));
      const { spans, stdout, stderr } = await app.run([...flags, file]);
      expect([stdout, stderr]).toEqual(["tea\n", ""]);
      expect(treeOf(spans)).toEqual(["tool search", "  span search"]);
    },
  );

  it("is recorded in the process of a server, in the same trace", async () => {
    app.write(
      "server.mjs",
      `import { observe } from "@obspan/sdk";
      import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
      import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
      const server = new McpServer({ name: "notes", version: "1.0.0" });
      server.registerTool("time", {}, async () => ({ content: [{ type: "text", text: observe("look up", () => "noon") }] }));
      await server.connect(new StdioServerTransport());`,
    );
    app.write(
      "app.mjs",
      `import { Client } from "@modelcontextprotocol/sdk/client/index.js";
      import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
      const client = new Client({ name: "app", version: "1.0.0" });
      const args = ["--import", "@obspan/sdk/register", "server.mjs"];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env: process.env }));
      await client.callTool({ name: "time", arguments: {} });
      await client.close();`,
    );
    const { spans } = await app.run([...IMPORT, "app.mjs"]);
    expect(treeOf(spans)).toEqual(["tool time", "  span time", "    span look up"]);
  });
});

describe.skipIf(!canHook)("Amazon Bedrock", () => {
  let bedrock: ReplayServer;
  beforeAll(async () => {
    bedrock = await startReplayServer("http2");
  });
  afterAll(() => bedrock.close());
  beforeEach(() => bedrock.reset());

  const imports = { "@aws-sdk/client-bedrock-runtime": "BedrockRuntimeClient, ConverseCommand" };
  const main = (wrap = "") => `
    const { modelId, body, endpoint } = JSON.parse(process.env.CALL);
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const client = new BedrockRuntimeClient({ region: "us-east-1", endpoint, credentials, maxAttempts: 1 });
    ${wrap}
    await client.send(new ConverseCommand({ modelId, ...body }));
    await client.send(new ConverseCommand({ modelId, ...body }));
    client.destroy();`;

  function environmentOf(exchange: ReturnType<typeof recordedExchange>): Record<string, string> {
    bedrock.always(exchange);
    const { path, body } = exchange.request;
    const modelId = decodeURIComponent(path.split("/")[2] ?? "");
    return { CALL: JSON.stringify({ modelId, body, endpoint: bedrock.url }) };
  }

  it.each(LOADS)("is recorded with $flags.0 in $file", async ({ flags, file, write }) => {
    const exchange = recordedExchange("bedrock-converse-tool");
    app.write(file, write(imports, main()));
    const { spans, stderr } = await app.run([...flags, file], environmentOf(exchange));
    expect(stderr).toBe("");
    expect(spans).toHaveLength(2);
    const { tokens_input, tokens_output } = exchange.expect;
    for (const span of spans) expectOneCall([span], { tokens: { tokens_input, tokens_output } as never });
  });

  it("is recorded once where the client is wrapped", async () => {
    const code = esm({ ...imports, "@obspan/sdk/bedrock": "wrapBedrock" }, main("wrapBedrock(client);"));
    app.write("app.mjs", code);
    const { spans } = await app.run(
      [...IMPORT, "app.mjs"],
      environmentOf(recordedExchange("bedrock-converse-tool")),
    );
    expect(spans).toHaveLength(2);
  });
});

describe("an app that a bundler has packed into its own files", () => {
  it.each([
    ["with the hook outside", "", IMPORT],
    ["with the hook in it, as its first import", `import "@obspan/sdk/register";`, []],
  ])("is recorded through fetch and the AI SDK, %s", async (_, first, flags) => {
    const main = `
      const { text } = await generateText({ model: createOpenAI(${MODEL}).chat("m"), prompt: "Hi" });
      const request = { method: "POST", body: '{"model":"alone"}' };
      await (await fetch(process.env.MODEL_URL + "/chat/completions", request)).json();
      console.log(text);`;
    const code = esm({ ai: "generateText", "@ai-sdk/openai": "createOpenAI" }, main);
    const entry = app.write("bundle.mjs", first + code);
    await build({
      root: app.directory,
      configFile: false,
      logLevel: "error",
      ssr: { noExternal: true },
      build: { ssr: entry, outDir: join(app.directory, "out"), emptyOutDir: true, target: "node20" },
    });
    server.answerWith({ text: "Hello there" }, { text: "Hello again" });
    const { spans, stdout, stderr } = await app.run([...flags, "out/bundle.mjs"], environment);
    expect([stdout, stderr]).toEqual(["Hello there\n", ""]);
    const lines = ["task generateText", "  task step 1", "    llm chat m"];
    expect(treeOf(spans.slice(0, 3))).toEqual(lines);
    expect(spans.slice(3).map(({ name }) => name)).toEqual(["chat alone"]);
  });
});

it.skipIf(!canHook)("the example of the guide prints what is hooked", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/guide/register.md"), "utf8");
  const [, printed = ""] = /^```\n(\{ fetch: .*?\n)```$/ms.exec(page) ?? [];
  const [example = ""] = guideSnippets("register");
  app.write("app.mjs", `import "@langchain/core/callbacks/manager";\n${example}`);
  const { stdout } = await app.run([...IMPORT, "app.mjs"]);
  expect(stdout.replaceAll(/\s+/g, " ")).toBe(printed.replaceAll(/\s+/g, " "));
});

describe("an app stays as it is", () => {
  const loaded = `Object.keys(require.cache).filter((file) => /sdk.dist.(?:langchain|mcp|bedrock|ai-sdk|telemetry)[.]/.test(file))`;

  it("and no integration loads before its library", async () => {
    app.write("app.cjs", `require("zod"); console.log(${loaded}.length, process.exitCode);`);
    expect((await app.run([...REQUIRE, "app.cjs"])).stdout).toBe("0 undefined\n");
  });

  it("and asking where a module is neither loads it nor gives another address", async () => {
    const name = `"@langchain/core/callbacks/manager"`;
    app.write(
      "app.cjs",
      `
      const file = require.resolve(${name});
      console.log(file.endsWith("manager.cjs"), require.cache[file], ${loaded}.length);
      import("./app.mjs");`,
    );
    app.write("app.mjs", `console.log(import.meta.resolve(${name}).replace(/.*\\/dist/, ""));`);
    const { stdout } = await app.run([...IMPORT, "app.cjs"]);
    expect(stdout).toBe("true undefined 0\n/callbacks/manager.js\n");
  });

  it("and its modules have the same classes for everyone", async () => {
    app.write(
      "app.mjs",
      `
      import { createRequire } from "node:module";
      import * as one from "@langchain/core/callbacks/manager";
      import * as bedrock from "@aws-sdk/client-bedrock-runtime";
      import aws from "@aws-sdk/client-bedrock-runtime";
      import { ChatOpenAI } from "@langchain/openai";
      const two = await import(${JSON.stringify(pathToFileURL(join(import.meta.dirname, "node_modules/@langchain/core/dist/callbacks/manager.js")).href)});
      console.log(one.CallbackManager === two.CallbackManager, Object.keys(one).length === Object.keys(two).length);
      const required = createRequire(import.meta.url)("@aws-sdk/client-bedrock-runtime");
      console.log(aws === required, bedrock.BedrockRuntimeClient === required.BedrockRuntimeClient, typeof ChatOpenAI);`,
    );
    expect((await app.run([...IMPORT, "app.mjs"])).stdout).toBe("true true\ntrue true function\n");
  });

  describe.skipIf(!canHook)("with one warning", () => {
    const modules = () => join(app.directory, "strange/node_modules/@langchain/core");
    const installStrange = (code: string): void => {
      mkdirSync(join(modules(), "dist/callbacks"), { recursive: true });
      writeFileSync(
        join(modules(), "package.json"),
        JSON.stringify({ type: "module", exports: { "./callbacks/manager": "./dist/callbacks/manager.js" } }),
      );
      writeFileSync(join(modules(), "dist/callbacks/manager.js"), code);
    };
    const WARNING =
      /^\[obspan\] @obspan\/sdk\/register cannot hook file:.*manager\.js: use @obspan\/sdk\/langchain in the app's code\.\n$/;

    it.each([
      ["without the classes", "export const other = 1;", "import { other } from", "other"],
      ["with a default export", "export default class CallbackManager {}", "import M from", "typeof M"],
      [
        "that is read-only",
        `export const CallbackManager = Object.freeze({ _configureSync() {} });`,
        "import { CallbackManager } from",
        "typeof CallbackManager",
      ],
    ])("if a version of the library is unknown: a module %s", async (_, code, statement, show) => {
      installStrange(code);
      const file = "strange/app.mjs";
      app.write(file, `${statement} "@langchain/core/callbacks/manager"; console.log(${show});`);
      const { stdout, stderr } = await app.run([...IMPORT, file]);
      expect(stdout).toMatch(/^(?:1|function|object)\n$/);
      expect(stderr).toMatch(WARNING);
    });

    it("if a module throws: with its own error, and without a warning", async () => {
      installStrange(`throw new TypeError("not today");`);
      app.write(
        "strange/app.mjs",
        `await import("@langchain/core/callbacks/manager").catch((error) => console.log(error.message));`,
      );
      const { stdout, stderr } = await app.run([...IMPORT, "strange/app.mjs"]);
      expect([stdout, stderr]).toEqual(["not today\n", ""]);
    });

    it("if the files of the integration are gone", async () => {
      const other = packRegisteredApp();
      rmSync(join(other.installed, "dist/langchain.cjs"));
      other.write(
        "app.mjs",
        esm(
          { "@langchain/core/runnables": "RunnableLambda" },
          `console.log(await RunnableLambda.from(() => 1).invoke("x"));`,
        ),
      );
      const { stdout, stderr } = await other.run([...IMPORT, "app.mjs"]);
      other.remove();
      expect(stdout).toBe("1\n");
      expect(stderr).toMatch(WARNING);
    });
  });
});
