import { execFileSync } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { TraceSummary } from "../../src/api-schema/trace.js";
import { plainAttributes, startOtlpReceiver } from "../export/otlp-receiver.js";
import { listen } from "../query/live-reader.js";
import type * as running from "../running-collector.js";

const core = join(import.meta.dirname, "../..");
/** A copy of the sources; the test applies the recipe of CONTRIBUTING.md to it. */
const copy = join(core, ".cache/new-stage");

/** Compiles every copied source file. The types are checked where the sources are. */
const COMPILER = join(core, "../node_modules/typescript-7/bin/tsc");
const TSCONFIG = {
  extends: "../../../tsconfig.base.json",
  compilerOptions: {
    ...{ rootDir: ".", outDir: "dist", noCheck: true, noResolve: true },
    ...{ composite: false, declaration: false, declarationMap: false, sourceMap: false },
  },
  include: ["src", "test"],
};
const COPIED_SOURCES_MS = 60_000;

interface Recipe {
  /** Path of the new file, relative to `collector-core`. */
  readonly path: string;
  readonly code: string;
  /** The line that adds the stage to the pipeline. */
  readonly line: string;
}

async function readRecipe(): Promise<Recipe> {
  const text = await readFile(join(core, "../CONTRIBUTING.md"), "utf8");
  const [, section = ""] = text.split("## A new stage of the pipeline\n");
  const [, path = ""] = /Create `collector-core\/(src\/pipeline\/stages\/[\w-]+\.ts)`/.exec(section) ?? [];
  const [code = "", line = ""] = section
    .split("```ts\n")
    .slice(1)
    .map((block) => block.slice(0, block.indexOf("```")));
  return { path, code, line };
}

async function applyRecipe({ path, code, line }: Recipe): Promise<void> {
  await rm(copy, { recursive: true, force: true });
  await mkdir(join(copy, "test"), { recursive: true });
  await cp(join(core, "src"), join(copy, "src"), { recursive: true });
  for (const file of ["test/running-collector.ts", "test/store/sqlite/inline-thread.ts"])
    await cp(join(core, file), join(copy, file));
  await writeFile(join(copy, path), code);
  const pipelines = join(copy, "src/pipeline/pipelines.ts");
  const [, name = ""] = /export function (\w+)/.exec(code) ?? [];
  const before = await readFile(pipelines, "utf8");
  const after = before.replace(/received: [^[]*\[\n/, (start) => start + line);
  expect(after).not.toBe(before);
  await writeFile(
    pipelines,
    `import { ${name} } from "./${path.replace("src/pipeline/", "").replace(".ts", ".js")}";\n${after}`,
  );
}

/** Compiles the copy. @returns the compiled module that starts its collector. */
async function compileCopy(): Promise<typeof running> {
  await writeFile(join(copy, "tsconfig.json"), JSON.stringify(TSCONFIG));
  execFileSync(process.execPath, [COMPILER, "--project", copy], { encoding: "utf8" });
  return (await import(join(copy, "dist/test/running-collector.js"))) as typeof running;
}

afterAll(() => rm(copy, { recursive: true, force: true }));

it(
  "spec 1: a new stage of one file and one line affects store, export, live feed, search and metrics",
  async () => {
    await applyRecipe(await readRecipe());
    const { startCollector } = await compileCopy();
    const receiver = await startOtlpReceiver();
    const { url, post, get, settled, collector } = await startCollector({
      EXPORTER_OTLP_ENDPOINT: receiver.url,
      REDACTION_ENABLED: "true",
    });
    const live = await listen(url);

    const dated = { name: "chat", span_type: "llm", duration_ms: 5 };
    await post({
      service: "shop",
      spans: [
        {
          ...dated,
          trace_id: "t1",
          span_id: "s1",
          attributes: { model: "gpt-5-2025-08-07", note: "to a@b.example" },
        },
        { ...dated, trace_id: "t1", span_id: "s2", attributes: { model: "gpt-5" } },
      ],
    });
    await settled();

    const { spans } = await get<{ spans: { attributes: Record<string, unknown> }[] }>("/v1/traces/t1?full=1");
    expect(spans.map(({ attributes }) => attributes)).toEqual([
      { model: "gpt-5", note: "to [EMAIL]" },
      { model: "gpt-5" },
    ]);
    const { data } = await live.next<TraceSummary>("trace", ({ span_count }) => span_count === 2);
    expect(data.models).toEqual(["gpt-5"]);
    const found = async (query: string): Promise<number> =>
      (await get<{ traces: unknown[] }>(`/v1/traces?${query}`)).traces.length;
    expect(await found("q=2025-08-07")).toBe(0);
    expect(await found("q=gpt-5")).toBe(1);
    expect(await found("model=gpt-5-2025-08-07")).toBe(0);
    expect(await found("model=gpt-5")).toBe(1);
    expect(await (await fetch(`${url}/metrics`)).text()).not.toContain("2025-08-07");

    await collector.stop();
    const exported = receiver.spans().map(({ attributes }) => plainAttributes(attributes));
    expect(exported).toHaveLength(2);
    expect(JSON.stringify(exported)).not.toContain("2025-08-07");
  },
  COPIED_SOURCES_MS,
);
