import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packApp, type PackedApp } from "../package/packed-app.js";

const ROOT = join(import.meta.dirname, "../../..");
const LIBRARIES = join(import.meta.dirname, "node_modules");
const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");

/** Guides, with the files that their examples are. The last one is run. */
const GUIDES: readonly (readonly [guide: string, files: readonly string[]])[] = [
  ["mcp.md", ["server.mts", "client.mts"]],
  ["opentelemetry.md", ["processor.mts", "provider.mts"]],
];

let app: PackedApp;
beforeAll(() => {
  app = packApp();
  for (const name of readdirSync(LIBRARIES))
    if (!name.startsWith(".")) symlinkSync(join(LIBRARIES, name), join(app.directory, "node_modules", name));
});
afterAll(() => app.remove());

it.each(GUIDES)(
  "the examples of the guide %s compile in strict mode and run",
  (guide, files) => {
    const text = readFileSync(join(ROOT, `docs/guide/${guide}`), "utf8");
    const examples = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code);
    expect(examples).toHaveLength(files.length);
    const paths = files.map((file, index) => app.write(file, examples[index] ?? ""));
    const options = ["--strict", "--module", "node16", "--target", "es2022", "--lib", "es2023,dom"];
    execFileSync(process.execPath, [TSC, ...options, "--skipLibCheck", ...paths], { cwd: app.directory });
    const script = files.at(-1)?.replace(/\.mts$/, ".mjs") ?? "";
    execFileSync(process.execPath, [script], { cwd: app.directory, stdio: "pipe" });
  },
  60_000,
);
