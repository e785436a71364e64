import { minify } from "terser";
import { defineConfig, type UserConfig } from "tsdown";
import { edgeFiles, SOURCES } from "./edge-files.js";

/** The sources that load at the start. Not the types. */
const CORE =
  /src.(?:capture.(?!record-|tap-stream|time-to-first|live-text|integration|model-span|otel-span|wrapper-warning)|config.(?!option-warnings)|edge.(?:async-local|builtin-module|environment|exit-watch|finalization|is-proxy|random-hex|text-bytes|timers)|export.(?:exit-watch|exporter|ledger|queued-span|span-buffer)|is-record|late-code|platform.(?!base64)|prices.(?:span-pricer|read-price-table)|process-wide|runtime|span.(?!describe-error|message-parts|partial-text)|streams.(?!chunk-content|text-acc|node-stream|readable-stream|proxy-with)|warnings).*(?<!\.d)\.ts$/;

/** What the wrappers of clients share, and the main entry does not use. Not the types. */
const MODEL_CLIENT =
  /src.integrations.(?:model-client.(?!append-limited|indexed-parts)|json-fields|wire.response-failure).*(?<!\.d)\.ts$/;

/** What the readers of several providers share, and the reader of chat completions, which several providers speak. */
const WIRE_READERS =
  /src.integrations.(?:wire.(?:message-|tool-definition|openai-(?:chat|content|messages|request|usage))|model-client.(?:append-limited|indexed-parts)).*(?<!\.d)\.ts$/;

/** The readers of one provider, which its wrapper and `register` share. */
const PROVIDER_READERS = /src.integrations.wire.*(?<!\.d)\.ts$/;

/** The messages of the AI SDK, which Mastra shares. Not the types. */
const AI_SDK_MESSAGES = /src.integrations.ai-sdk.(?:model-messages|provider-name).*(?<!\.d)\.ts$/;

/** What only integrations need of the core, and the contexts that two of them enter. Not the types. */
const INTEGRATION =
  /src.(?:capture.(?:integration|model-span|live-text)|edge.live-text|integrations.run-spans.entered).*(?<!\.d)\.ts$/;

/** What works in every runtime. */
const ENTRIES = {
  index: "src/index.ts",
  "ai-sdk": "src/integrations/ai-sdk/index.ts",
  anthropic: "src/integrations/anthropic/index.ts",
  bedrock: "src/integrations/bedrock/index.ts",
  cohere: "src/integrations/cohere/index.ts",
  google: "src/integrations/google/index.ts",
  langchain: "src/integrations/langchain/index.ts",
  mastra: "src/integrations/mastra/index.ts",
  mcp: "src/integrations/mcp/index.ts",
  mistral: "src/integrations/mistral/index.ts",
  ollama: "src/integrations/ollama/index.ts",
  openai: "src/integrations/openai/index.ts",
  "openai-agents": "src/integrations/openai-agents/index.ts",
  otel: "src/integrations/otel/index.ts",
  prices: "src/prices/index.ts",
  wire: "src/wire/index.ts",
};

/** What needs Node: a child process, and the start of a process. */
const NODE_ENTRIES = {
  "claude-agent-sdk": "src/integrations/claude-agent-sdk/index.ts",
  register: "src/register/index.ts",
};

/** Before the minifier of the bundler: together they give 1.3 % less than it does alone, after compression. */
const minifyWithTerser = {
  name: "terser",
  async renderChunk(
    code: string,
    { fileName }: { readonly fileName: string },
    { format }: { readonly format: string },
  ) {
    if (!/\.c?js$/.test(fileName)) return null;
    const { code: minified = code, map } = await minify(code, {
      module: format === "es",
      toplevel: true,
      ecma: 2020,
      compress: { passes: 2, inline: 1 },
      sourceMap: { asObject: true },
    });
    return { code: minified, map: map as never };
  },
};

const BASE: UserConfig = {
  format: ["esm", "cjs"],
  // `.js` and `.cjs` beside `"type": "module"`, as package.json names them.
  fixedExtension: false,
  target: "node20",
  sourcemap: true,
  hash: false,
  minify: true,
  plugins: [minifyWithTerser],
  outputOptions: {
    // `require()` in CommonJS: Jest runs it where `import()` does not work.
    dynamicImportInCjs: false,
    codeSplitting: {
      groups: [
        // Shared by chunks that load later, and not needed at the start.
        {
          name: "stream-text",
          test: /capture.time-to-first|streams.(?:text-acc|node-stream|readable-stream)/,
          priority: 4,
        },
        { name: "batch-request", test: /export.batch-request/, priority: 4 },
        { name: "base64", test: /(?:edge|platform).base64/, priority: 4 },
        // Shared by most integrations. What only one of them uses is part of its entry.
        { name: "integration", test: INTEGRATION, minShareCount: 2, priority: 3 },
        { name: "model-client", test: MODEL_CLIENT, minShareCount: 3, priority: 2 },
        { name: "wire-readers", test: WIRE_READERS, minShareCount: 2, priority: 1 },
        { name: "ai-sdk-messages", test: AI_SDK_MESSAGES, minShareCount: 2, priority: 0 },
        // Named after its file, a chunk would take the name of the entry.
        {
          name: (id: string) => `${/wire.([a-z]*)/.exec(id.slice(id.lastIndexOf("wire")))?.[1] ?? ""}-reader`,
          test: PROVIDER_READERS,
          minShareCount: 2,
          priority: 0,
        },
        // One chunk for everything that the core and the integrations share: each further chunk adds a list of imports.
        { name: "core", test: CORE, priority: 5 },
        // The types that several entries share. Named after its file, the chunk would replace the main entry's.
        { name: "wire-types.d", test: /src.wire/, minShareCount: 2 },
      ],
    },
  },
  clean: true,
};

/**
 * Builds the package, an entry for each path of `exports`, as ESM and CommonJS: for Node with the types, and in `dist/edge`
 * for runtimes without the modules of Node.
 */
export default defineConfig([
  { ...BASE, entry: { ...ENTRIES, ...NODE_ENTRIES }, dts: true, platform: "node" },
  {
    ...BASE,
    entry: ENTRIES,
    outDir: "dist/edge",
    dts: false,
    platform: "neutral",
    plugins: [edgeFiles, minifyWithTerser],
    inputOptions: {
      transform: {
        inject: {
          FinalizationRegistry: [`${SOURCES}/edge/finalization-registry.ts`, "FinalizationRegistry"],
        },
      },
    },
  },
]);
