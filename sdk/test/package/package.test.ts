import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startReceiver } from "../export/receiver.js";
import { packApp, type PackedApp } from "./packed-app.js";

let app: PackedApp;
beforeAll(() => {
  app = packApp();
});
afterAll(() => app.remove());

const MANIFEST = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, unknown>>;
};
/** The entries that are integrations. */
const INTEGRATIONS = Object.keys(MANIFEST.exports)
  .map((path) => path.slice(2))
  .filter((name) => !["", "package.json", "prices", "register", "wire"].includes(name));

/** What several integrations share of the wrappers of clients, and of the formats of providers. */
const SHARED = [
  "ai-sdk-messages.js",
  "ignored-span-methods.js",
  "integration.js",
  "model-client.js",
  "observe-requests.js",
  "wire-readers.js",
];

describe("the tarball", () => {
  it("contains every exported file, and has no runtime dependency", () => {
    const manifest = JSON.parse(readFileSync(join(app.installed, "package.json"), "utf8")) as {
      exports: Record<string, unknown>;
    };
    for (const key of ["dependencies", "peerDependencies", "optionalDependencies"])
      expect(manifest).not.toHaveProperty(key);
    const paths = JSON.stringify(manifest.exports).match(/\.\/dist\/[^"]+/g) ?? [];
    expect(paths.length).toBeGreaterThanOrEqual(12);
    for (const path of paths) expect([path, existsSync(join(app.installed, path))]).toEqual([path, true]);
  });

  it("imports only modules of Node", () => {
    const known = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
    for (const file of readdirSync(join(app.installed, "dist")).filter((name) => /\.c?js$/.test(name))) {
      const code = readFileSync(join(app.installed, "dist", file), "utf8");
      const imported = [
        ...code.matchAll(/(?<!["'`])(?:from|import|require)\s*(?:\(\s*)?[`"']([^`"']+)[`"']/g),
      ].map(([, name]) => name ?? "");
      expect([file, imported.filter((name) => !name.startsWith("./") && !known.has(name))]).toEqual([
        file,
        [],
      ]);
    }
  });

  it("is clean for publint", async () => {
    const { messages } = await publint({ pkgDir: app.installed, strict: true, pack: false });
    expect(messages).toEqual([]);
  });

  it("has correct types for ESM and CommonJS (are the types wrong)", async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(app.tarball)));
    const problems = analysis.types === false ? ["no types"] : analysis.problems;
    expect(problems).toEqual([]);
  });

  /** The code of an entry with its static imports, by file. Dynamic imports load later, and do not count. */
  function codeOf(entry: string): Map<string, string> {
    const reached = new Map<string, string>();
    const visit = (file: string) => {
      if (reached.has(file)) return;
      const code = readFileSync(join(app.installed, "dist", file), "utf8");
      reached.set(file, code);
      for (const [, next = ""] of code.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+)["'`]/g)) visit(next);
    };
    visit(entry);
    return reached;
  }

  it.each(INTEGRATIONS)(
    "has an integration %s of at most 6 kB gzipped, without what several share",
    (name) => {
      const core = codeOf("index.js");
      const own = [...codeOf(`${name}.js`)].filter(([file]) => !core.has(file) && !SHARED.includes(file));
      expect(gzipSync(own.map(([, code]) => code).join("\n")).length).toBeLessThanOrEqual(6 * 1024);
    },
  );

  it("has an entry register of at most 6 kB gzipped, without the core and what the wrappers of clients share", () => {
    const core = codeOf("index.js");
    const own = [...codeOf("register.js")].filter(
      ([file]) => !core.has(file) && !["integration.js", "model-client.js"].includes(file),
    );
    expect(gzipSync(own.map(([, code]) => code).join("\n")).length).toBeLessThanOrEqual(6 * 1024);
  });

  it.each(SHARED)("has at most 6 kB gzipped in %s, which several integrations share", (file) => {
    const code = readFileSync(join(app.installed, "dist", file));
    expect(gzipSync(code).length).toBeLessThanOrEqual(6 * 1024);
  });

  it("has a core entry of at most 12 kB gzipped, with its static imports", () => {
    const code = [...codeOf("index.js").values()].join("\n");
    expect(gzipSync(code).length).toBeLessThanOrEqual(12 * 1024);
    for (const later of ["text-embedding-3-small", "node:zlib", "Retry-After"])
      expect(code).not.toContain(later);
  });
});

it("ESM and CommonJS copies in one process share one configuration, one context and one exporter", () => {
  const file = app.write(
    "both.mjs",
    `import * as esm from "@obspan/sdk";
     import { createRequire } from "node:module";
     const cjs = createRequire(import.meta.url)("@obspan/sdk");
     esm.configure({ service: "both" });
     let second;
     try { cjs.configure(); } catch (error) { second = error.code; }
     const error = new Error("once");
     const inner = cjs.task("inner", () => { throw error; });
     try { esm.agent("outer", () => cjs.observe("middle", () => inner()))(); } catch {}
     const spans = esm.takeSpans();
     console.log(JSON.stringify({
       different: esm.llm !== cjs.llm, second, stats: cjs.stats().enqueued,
       chain: spans.map(({ name, parent_span_id, span_id, error_propagated, attributes }) => ({ name, parent_span_id, span_id, error_propagated, agent: attributes.agent })),
     }));`,
  );
  const { different, second, stats, chain } = JSON.parse(
    execFileSync(process.execPath, [file], { encoding: "utf8" }),
  ) as {
    different: boolean;
    second: string;
    stats: number;
    chain: {
      name: string;
      span_id: string;
      parent_span_id?: string;
      error_propagated?: boolean;
      agent: string;
    }[];
  };
  expect([different, second, stats]).toEqual([true, "ALREADY_CONFIGURED", 3]);
  const [inner, middle, outer] = chain;
  expect([inner?.parent_span_id, middle?.parent_span_id]).toEqual([middle?.span_id, outer?.span_id]);
  expect(chain.map(({ error_propagated }) => error_propagated)).toEqual([undefined, true, true]);
  expect(chain.map(({ agent }) => agent)).toEqual(["outer", "outer", "outer"]);
});

describe("the packed README", () => {
  const readme = () => readFileSync(join(app.installed, "README.md"), "utf8");

  it("links only to the web, and to files of the package", () => {
    const links = Array.from(readme().matchAll(/\]\(([^)]*)\)/g), ([, target = ""]) => target);
    const isReached = (target: string): boolean =>
      target.startsWith("https://") || (!target.includes("../") && existsSync(join(app.installed, target)));
    expect(links.filter((target) => !isReached(target))).toEqual([]);
  });

  it("names pages that the repository has", () => {
    const pages = Array.from(readme().matchAll(/`([\w/-]+\.md)`/g), ([, name = ""]) => name);
    expect(pages.length).toBeGreaterThan(20);
    const fileOf = (name: string): string =>
      join(import.meta.dirname, "../../..", name.includes("/") ? "" : "docs/guide", name);
    expect(pages.filter((name) => !existsSync(fileOf(name)))).toEqual([]);
  });
});

it("the example of the README runs, and its trace arrives", async () => {
  const receiver = await startReceiver();
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, example = ""] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const file = app.write("example.mjs", example.replace("http://127.0.0.1:8080", receiver.url));
  // Not execFileSync: the receiver lives in this process.
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  expect(stdout).toBe("You asked: Where is my order?\nAll about Where is my order?\n");
  expect(receiver.names.toSorted()).toEqual(["answer", "search", "support"]);
});
