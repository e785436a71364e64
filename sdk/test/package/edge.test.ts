import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startReceiver } from "../export/receiver.js";
import { packApp, type PackedApp } from "./packed-app.js";

let app: PackedApp;
beforeAll(() => {
  app = packApp();
});
afterAll(() => app.remove());

const CONDITIONS = ["workerd", "edge-light", "browser"];

interface Target {
  readonly types: string;
  readonly default: string;
}

const MANIFEST = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Target>>>>>>;
};
/** What starts a process, or hooks its start. */
const NODE_ONLY = ["./claude-agent-sdk", "./register", "./package.json"];
const ENTRIES = Object.keys(MANIFEST.exports).filter((path) => !NODE_ONLY.includes(path));

/** The files that an entry loads, at its start or later. */
function closureOf(entry: string): ReadonlyMap<string, string> {
  const reached = new Map<string, string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    const code = readFileSync(join(app.installed, "dist/edge", file), "utf8");
    reached.set(file, code);
    for (const [, next = ""] of code.matchAll(/(?:from|import|require) ?\(? ?["'`]\.\/([^"'`]+)["'`]/g))
      visit(next);
  };
  visit(entry);
  return reached;
}

describe.each(ENTRIES)("the entry %s for edge runtimes", (path) => {
  const name = path === "." ? "index" : path.slice(2);

  it.each(CONDITIONS)("is found with the condition %s, with the types of Node's", (condition) => {
    const { exports } = MANIFEST;
    for (const [format, extension] of [
      ["import", "js"],
      ["require", "cjs"],
    ] as const) {
      const { types, default: code } = exports[path]?.[condition]?.[format] ?? { types: "", default: "" };
      expect(code).toBe(`./dist/edge/${name}.${extension}`);
      expect(types).toBe((exports[path]?.[format] as unknown as Target).types);
      expect(existsSync(join(app.installed, code))).toBe(true);
    }
  });

  it.each(["js", "cjs"])(
    "imports nothing but its own files, and uses no global of Node (%s)",
    (extension) => {
      for (const [file, code] of closureOf(`${name}.${extension}`)) {
        const imported = [...code.matchAll(/(?:from|import|require) ?\(? ?["'`]([^"'`]+)["'`]/g)].map(
          ([, source = ""]) => source,
        );
        expect([file, imported.filter((source) => !source.startsWith("./"))]).toEqual([file, []]);
        const globals =
          code.match(/(?<![.\w$])(?:Buffer|setImmediate|__dirname|process\.(?!getBuiltinModule))\b/g) ?? [];
        expect([file, globals]).toEqual([file, []]);
      }
    },
  );
});

it.each(CONDITIONS)("an app with the condition %s delivers its spans by fetch()", async (condition) => {
  const receiver = await startReceiver();
  const file = app.write(
    "edge.mjs",
    `import { agent, configure, flush, llm, stats, tool } from "@obspan/sdk";
     import { wrapOpenAI } from "@obspan/sdk/openai";
     configure({ service: "edge", pushUrl: ${JSON.stringify(receiver.url)}, enableCostCalculation: true });
     const client = wrapOpenAI({ chat: { completions: { create: async () => ({ usage: { prompt_tokens: 4_000_000, completion_tokens: 0 } }) } } });
     const search = tool("search", async (query) => query);
     await agent("support", async () => {
       await search("order");
       await client.chat.completions.create({ model: "gpt-5-mini" });
     })();
     const isDone = await flush();
     console.log(JSON.stringify([isDone, stats().acked, import.meta.resolve("@obspan/sdk").includes("/dist/edge/")]));`,
  );
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [`--conditions=${condition}`, file]);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual([true, 3, true]);
  expect(receiver.names.toSorted()).toEqual(["chat gpt-5-mini", "search", "support"]);
  const spans = receiver.requests.flatMap(({ batch }) => batch.spans);
  expect(spans.map(({ attributes }) => attributes?.["cost_usd"]).filter(Boolean)).toEqual([1]);
  expect(new Set(spans.map(({ trace_id: id }) => id)).size).toBe(1);
});
