import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packApp, type PackedApp } from "../package/packed-app.js";

const ROOT = join(import.meta.dirname, "../../..");
const LIBRARIES = join(import.meta.dirname, "node_modules");
const TSC = join(ROOT, "node_modules/typescript-7/bin/tsc");

/** The guides to libraries that are installed beside these tests, with a name for each of their examples in TypeScript. */
const GUIDES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["anthropic"],
  bedrock: ["bedrock"],
  "claude-agent-sdk": ["claude-agent-sdk"],
  cohere: ["cohere"],
  google: ["google"],
  langchain: ["langchain", "langchain-instrumented"],
  mcp: ["server", "client"],
  mistral: ["mistral"],
  ollama: ["ollama"],
  "openai-agents": ["openai-agents"],
  opentelemetry: ["otel-processor", "otel-provider"],
};

const EXAMPLES = Object.entries(GUIDES).flatMap(([page, names]) => {
  const text = readFileSync(join(ROOT, "docs/guide", `${page}.md`), "utf8");
  const examples = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code);
  if (examples.length !== names.length)
    throw new Error(`${page} has ${examples.length} examples and ${names.length} names.`);
  return names.map((name, index) => ({ name, code: examples[index] ?? "" }));
});

let app: PackedApp;
beforeAll(() => {
  app = packApp();
  for (const name of readdirSync(LIBRARIES))
    if (!name.startsWith(".")) symlinkSync(join(LIBRARIES, name), join(app.directory, "node_modules", name));
});
afterAll(() => app.remove());

it("the examples compile in strict mode", () => {
  const files = EXAMPLES.map(({ name, code }) => app.write(`${name}.mts`, code));
  const options = ["--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2022"];
  const libraries = ["--lib", "es2023,dom", "--skipLibCheck"];
  const command = [TSC, ...options, ...libraries, ...files];
  try {
    execFileSync(process.execPath, command, { cwd: app.directory, encoding: "utf8" });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
}, 180_000);

it.each(EXAMPLES.map(({ name }) => name))(
  "the example %s runs",
  (name) => {
    const env = {
      ...process.env,
      AWS_REGION: "us-east-1",
      ANTHROPIC_API_KEY: "test-key",
      COHERE_API_KEY: "test-key",
      CO_API_KEY: "test-key",
      GEMINI_API_KEY: "test-key",
      GOOGLE_API_KEY: "test-key",
      MISTRAL_API_KEY: "test-key",
      OPENAI_API_KEY: "test-key",
    };
    const output = execFileSync(process.execPath, [join(app.directory, `${name}.mjs`)], {
      cwd: app.directory,
      encoding: "utf8",
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(output).toBe("");
  },
  60_000,
);
