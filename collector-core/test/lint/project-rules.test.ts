import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Sources of a project like this one. A line that ends with `//! rules` must be refused by these rules, and no other line. */
const SOURCES: Readonly<Record<string, string>> = {
  "collector-core/src/described.ts": String.raw`
    log.error('It failed.', { error: describeError(error) });
    host.log('error', 'It failed.', { path, error: describeError(error) });
    logger.warning('It failed.', { where, ...(error !== undefined && { error: describeError(error) }) });
    log.error(${"`It failed: ${describeError(error)}`"}); //! described-error-in-log
    log.error(describeError(error), {}); //! described-error-in-log
    throw new ApiError('invalid_query', describeError(error)); //! described-error-in-log
    answer({ error: describeError(error) }); //! described-error-in-log
    const reason = describeError(error); //! described-error-in-log
    port.postMessage({}, { error: describeError(error) }); //! described-error-in-log
    errors.map(describeError); //! described-error-in-log`,
  "collector-core/src/lookup.ts": `
    declare const known: "a" | "b";
    declare const any: string | undefined;
    const TABLE: Readonly<Record<string, number>> = {};
    const CLOSED = { a: 1, b: 2 };
    const LIST: string[] = [];
    export const values = [TABLE[known], CLOSED[known], LIST[1]];
    export const umlaut = "ä€😀" + TABLE[any ?? ""]; //! no-inherited-lookup
    export const value = (text: string) => TABLE[text]; //! no-inherited-lookup`,
  "collector-core/src/store/kept.ts": `
    declare const text: string;
    declare function copyText(text: string): string;
    declare const list: string[];
    export const copied = copyText(text.slice(1));
    export const items = list.slice(1);
    export const umlaut = "ä€😀" + text.trim(); //! no-uncopied-part
    export const part = text.slice(1); //! no-uncopied-part
    export const either = (kind: "a" | string) => kind.split("b"); //! no-uncopied-part`,
  "collector-core/src/other.ts": `
    export const notKept = (text: string) => text.slice(1);
    export const environment = process.env["A"]; //! no-restricted-properties
    const { env } = process; //! no-restricted-properties
    process.stdout.write("a"); //! no-bare-streams
    list.push(...others); //! no-spread-of-lists
    for await (const page of trace.spans) read(page); //! no-bare-span-pages
    for await (const stored of eachSpan(trace.spans, timeSlice)) read(stored);
    for (const span of trace.spans) read(span);
    export const top = [...others];
    export class A {
      private a = 1; //! no-private-modifier
      protected b() {} //! no-private-modifier
      constructor(private readonly c: number) {} //! no-private-modifier
      #d = 2;
    }`,
  "collector-core/src/main.ts": `
    export const environment = process.env["A"];`,
  "collector-core/test/waits.test.ts": `
    await vi.waitFor(() => expect(calls).toHaveLength(1)); //! no-short-wait
    await vi.waitUntil(isThere, { interval: 5 }); //! no-short-wait
    await vi.waitFor(() => expect(calls).toHaveLength(1), { timeout: 30_000 });
    await expect.poll(() => calls).toHaveLength(1);`,
  "collector-core/src/ingest/directions.ts": `
    import type { Queue } from "../queue/a.js"; //! import-directions
    export * from "../assembly/a.js"; //! import-directions
    export { collect } from "../collector.js"; //! import-directions
    export const late = import("../config/a.js"); //! import-directions
    import type { Own } from "./own.js";
    import type { Span } from "../span/a.js";
    import "@obspan/desktop"; //! import-directions`,
  "collector-core/src/analysis/directions.ts": `
    import { join } from "node:path"; //! no-restricted-imports
    import type { Schema } from "../api-schema/a.js";
    import type { Span } from "../span/a.js"; //! import-directions`,
  "collector-core/src/api-schema/directions.ts": `
    import type { Analysis } from "../analysis/a.js"; //! import-directions`,
  "collector-core/src/span/directions.ts": `
    import type { Config } from "../config/a.js"; //! import-directions
    import type { Hash } from "../hashing/a.js";`,
  "collector-core/src/otlp/directions.ts": `
    import type { Store } from "../store/a.js"; //! import-directions`,
  "collector-core/src/share/directions.ts": `
    import type { Store } from "../store/a.js"; //! import-directions`,
  "collector-core/src/redis/directions.ts": `
    import type { Queue } from "../queue/a.js"; //! import-directions
    import type { Clock } from "../runtime/a.js";`,
  "collector-core/src/hashing/directions.ts": `
    import type { Config } from "../config/a.js"; //! import-directions
    import type { Clock } from "../runtime/a.js";`,
  "sdk/src/directions.ts": `
    import "../../collector-core/src/a.js"; //! import-directions
    import "@obspan/collector-core"; //! import-directions
    list.push(...others); //! no-spread-of-lists
    class A { private a = 1; } //! no-private-modifier
    process.stderr.write("a");
    export const environment = process.env["A"]; //! no-restricted-properties`,
  "desktop/src/renderer/page.tsx": `
    import { analyse } from "@obspan/collector-core/analysis";
    import type { Schema } from "@obspan/collector-core/api-schema";
    import { start } from "@obspan/collector-core"; //! import-directions
    export const a = <a title="A">b</a>; //! no-native-title
    export const link = <Link title="A">b</Link>; //! no-native-title
    export const member = <Menu.Item title="A">b</Menu.Item>; //! no-native-title
    export const own = <Panel title="A">b</Panel>;
    export const address = encodeURIComponent(text); //! no-restricted-globals
    export const text = decodeURI(address); //! no-restricted-globals
    class A { private a = 1; } //! no-private-modifier
    const TABLE: Record<string, number> = {};
    export const value = (text: string) => TABLE[text]; //! no-inherited-lookup`,
  "desktop/src/renderer/api/url-component.ts": `
    export const address = encodeURIComponent(text);`,
  ...Object.fromEntries(
    ["sdk/src", "collector-core/src", "desktop/src/main", "e2e", "sdk/test", "scripts"].map((folder) => [
      `${folder}/expressions.${folder === "scripts" ? "mjs" : "ts"}`,
      String.raw`
    export const a = /^(.*?)(\.\d+)(.*)$/; //! no-super-linear-backtracking
    export const b = /^[\w\s]*={0,2}\s*$/; //! no-super-linear-backtracking
    export const c = /\/+$/; //! no-super-linear-move
    export const d = /(?:[[\]!*_~<](?:[^\w\n]{0,2})){200}/; //! no-ambiguous-repetition
    export const e = /(?:\d{1,3}\.?){20}x/; //! no-ambiguous-repetition
    export const f = new RegExp("^[\\w\\s]*={0,2}\\s*$"); //! no-super-linear-backtracking
    export const g = /(?<!\/)\/+$/;
    export const h = /^(?:[0-9a-f]{2}){16,64}$/i;
    export const i = /^(?:\d{4}[ -]?){4}$/;
    export const j = /^(?:[^"\\]|\\.)*$/;`,
    ]),
  ),
};

it("the rules of the project refuse what they are for, and nothing else", () => {
  const directory = mkdtempSync(join(tmpdir(), "obspan-lint-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  function write(file: string, text: string): void {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  const types = {
    compilerOptions: { strict: true, noUncheckedIndexedAccess: true, types: [], jsx: "preserve" },
  };
  for (const project of ["collector-core", "desktop/src/renderer", "desktop/src/main"])
    write(`${project}/tsconfig.json`, JSON.stringify(types));
  // Globs of the configuration are relative to its directory, plugins are not in it.
  const config = readFileSync(join(root, ".oxlintrc.project.json"), "utf8");
  write(
    ".oxlintrc.project.json",
    config
      .replace(
        '"eslint-plugin-regexp"',
        JSON.stringify(join(root, "node_modules/eslint-plugin-regexp/dist/index.js")),
      )
      .replace("./scripts/lint/plugin.mjs", join(root, "scripts/lint/plugin.mjs").replaceAll("\\", "/")),
  );
  const expected = Object.entries(SOURCES).flatMap(([file, text]) => {
    write(file, text);
    return text.split("\n").flatMap((line, index) => {
      const [, rule] = /\/\/! ([\w-]+)$/.exec(line) ?? [];
      return rule === undefined ? [] : [`${file}:${index + 1} ${rule}`];
    });
  });

  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const args = [oxlint, "--config=.oxlintrc.project.json", "--format=unix", "."];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: directory, encoding: "utf8" });
  const found = Array.from(
    stdout.matchAll(/^(\S+):(\d+):\d+: .*\((?:[\w-]+\/)?([\w-]+)\)\]$/gm),
    ([, file, line, rule]) => `${file}:${line} ${rule}`,
  );
  expect(found.sort(), stdout + stderr).toEqual(expected.sort());
  expect(status).toBe(1);
});
