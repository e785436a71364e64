import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const RENDERER = join(import.meta.dirname, "../../src/renderer");

it("a stylesheet changes classes of another only inside its own: pages are loaded while others are shown", () => {
  const leaks: string[] = [];
  for (const file of readdirSync(RENDERER, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".module.css")) continue;
    const css = readFileSync(join(RENDERER, file), "utf8").replaceAll(/\/\*[^]*?\*\//g, "");
    const imported = new Set(
      [...css.matchAll(/@value ([^;]+) from/g)].flatMap(([, names = ""]) => names.split(/,\s*/)),
    );
    for (const text of css.split("{").slice(0, -1)) {
      const selectors = text.slice(Math.max(text.lastIndexOf("}"), text.lastIndexOf(";")) + 1);
      if (selectors.includes("@")) continue;
      for (const selector of selectors.split(",")) {
        const classes = [...selector.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = ""]) => name);
        if (classes.length > 0 && classes.every((name) => imported.has(name)))
          leaks.push(`${file}: ${selector.trim()}`);
      }
    }
  }
  expect(leaks).toEqual([]);
});
