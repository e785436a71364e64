import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { BUILT_IN_PATTERNS } from "../../../src/pipeline/redaction/built-in-patterns.js";
import { EXEMPT_ATTRIBUTES } from "../../../src/pipeline/redaction/exempt-attributes.js";

const guide = readFileSync(new URL("../../../../docs/guide/redaction.md", import.meta.url), "utf8");

it("the guide lists every built-in pattern and every exempt attribute", () => {
  for (const { name } of BUILT_IN_PATTERNS) expect(guide).toContain(`\`${name}\``);
  for (const attribute of EXEMPT_ATTRIBUTES) expect(guide).toContain(`\`${attribute}\``);
});
