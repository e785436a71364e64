import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SPEC_RULES } from "./spec-rules.js";

it("every rule of the specification has a test that names it", () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".test.ts"));
  const tests = files.map((file) => readFileSync(join(import.meta.dirname, file), "utf8")).join("\n");
  expect(Object.keys(SPEC_RULES).filter((id) => !tests.includes(`"${id}"`))).toEqual([]);
});
