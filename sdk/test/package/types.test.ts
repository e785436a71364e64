import { dirname } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packApp, type PackedApp } from "./packed-app.js";

const COMPILER_LIBRARIES = dirname(ts.getDefaultLibFilePath({}));

/** Code of a TypeScript app that uses every entry of the package. Each `@ts-expect-error` is checked too. */
const APP = `
configure({ service: "shop", mask: (text, key) => text + key } satisfies ConfigureOptions);
// @ts-expect-error a number, and no text
configure({ batchSize: "5" });
export const search = tool("search", async <T extends string>(query: T): Promise<string[]> => [query]);
export const untyped: (query: string) => Promise<string> = tool("untyped", async (query) => String(query));
export const swapped: (id: number) => number = tool((id: number) => id, "swapped");
export const known: "tokens_input" extends Parameters<SpanHandle["setAttribute"]>[0] ? true : false = true;
export const found: Promise<string[]> = search("order");
export const stream: (prompt: string) => AsyncGenerator<string, number, boolean> = llm(
  { model: "gpt-5-mini", provider: "openai", evaluationTypes: ["relevance"] },
  async function* (prompt: string): AsyncGenerator<string, number, boolean> {
    return (yield prompt) ? 1 : 2;
  },
);
export const total: number = observe({ name: "checkout" }, (span) => {
  span.setAttribute("cart", 3).addEvent("paid");
  return 1;
});
// @ts-expect-error the name of a model is a text
startSpan({ name: "wrong", attributes: { model: 5 } });
export class Support {
  @agent("support") async run(question: string): Promise<string> { return question; }
  @tool search(query: string): string[] { return [query]; }
}
export const batch: SpanBatch = { spans: takeSpans() };
export const client: { chat: string } = wrapOpenAI({ chat: "" }, { provider: "gateway" });
export const month: string = PRICES_AS_OF;
try {
  configure();
} catch (error) {
  if (error instanceof RuntimeError && error.code === "ALREADY_CONFIGURED") throw error;
}
`;

const NAMES =
  "{ agent, configure, llm, observe, RuntimeError, startSpan, takeSpans, tool, type ConfigureOptions, type SpanHandle }";
const IMPORTS = `
import ${NAMES} from "@obspan/sdk";
import { wrapOpenAI } from "@obspan/sdk/openai";
import { PRICES_AS_OF } from "@obspan/sdk/prices";
import type { SpanBatch } from "@obspan/sdk/wire";
`;

let app: PackedApp;
beforeAll(() => {
  app = packApp();
});
afterAll(() => app.remove());

/** The compiler's own libraries, parsed once for all compilations. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/** Compiles a file of the app with options of the command line. @returns the messages of the compiler: none if there is no error. */
function compile(file: string, ...more: string[]): string[] {
  const path = app.write(file, IMPORTS + APP);
  const common = [
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    ...["--target", "es2022", "--lib", "es2023"],
  ];
  const { options, errors } = ts.parseCommandLine([...common, ...more]);
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getCurrentDirectory = () => app.directory;
  host.getSourceFile = (name, ...rest) => {
    if (dirname(name) !== COMPILER_LIBRARIES) return getSourceFile.call(host, name, ...rest);
    if (!libraries.has(name)) libraries.set(name, getSourceFile.call(host, name, ...rest));
    return libraries.get(name);
  };
  const program = ts.createProgram([path], options, host);
  return [...errors, ...ts.getPreEmitDiagnostics(program)].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, "\n"),
  );
}

it.each([
  ["an ESM app, resolution node16", "esm.mts", ["--module", "node16"]],
  ["a CommonJS app, resolution node16", "common.cts", ["--module", "node16"]],
  ["an app that a bundler packs", "bundled.mts", ["--module", "esnext", "--moduleResolution", "bundler"]],
  [
    "an app with moduleResolution node10",
    "old.ts",
    ["--module", "commonjs", "--moduleResolution", "node10", "--ignoreDeprecations", "6.0"],
  ],
  ["an app with experimentalDecorators", "legacy.mts", ["--module", "node16", "--experimentalDecorators"]],
])("the packed types are correct for %s, without the types of Node", (_, file, options) => {
  expect(compile(file, ...options)).toEqual([]);
});
