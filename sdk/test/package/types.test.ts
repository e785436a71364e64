import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packApp, type PackedApp } from "./packed-app.js";

const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");

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

/** Compiles a file of the app, and returns the output of the compiler: empty if there is no error. */
function compile(file: string, ...options: string[]): string {
  const path = app.write(file, IMPORTS + APP);
  try {
    execFileSync(
      process.execPath,
      [
        TSC,
        "--noEmit",
        "--strict",
        "--exactOptionalPropertyTypes",
        ...["--target", "es2022", "--lib", "es2023"],
        ...options,
        path,
      ],
      { cwd: app.directory, encoding: "utf8" },
    );
    return "";
  } catch (error) {
    return String((error as { stdout: unknown }).stdout);
  }
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
  expect(compile(file, ...options)).toBe("");
});
