import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));

it("the lint of types finds a promise that nobody awaits, a value of any type and a switch that misses a case", () => {
  const directory = mkdtempSync(join(tmpdir(), "obspan-lint-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "tsconfig.json"), '{ "compilerOptions": { "strict": true, "types": [] } }');
  const lines = [
    "export async function work(): Promise<void> {}",
    "work();",
    'export const text: string = JSON.parse("1");',
    'export const one = (kind: "a" | "b") => { switch (kind) { case "a": return 1; } };',
  ];
  writeFileSync(join(directory, "sample.ts"), `${lines.join("\n")}\n`);
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const args = [oxlint, "--config", join(root, ".oxlintrc.json"), "--format=unix", directory];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  const found = Array.from(stdout.matchAll(/sample\.ts:(\d+):.*\(([\w-]+)\)/g), ([, line, rule]) => [
    Number(line),
    rule,
  ]);
  expect(found.sort()).toEqual([
    [2, "no-floating-promises"],
    [3, "no-unsafe-assignment"],
    [4, "switch-exhaustiveness-check"],
  ]);
  expect(status).toBe(1);
});
