import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const GUIDE = fileURLToPath(new URL("../../docs/guide/", import.meta.url));

/** The programs on a page of the guide. */
export function guidePrograms(page: string): string[] {
  const text = readFileSync(`${GUIDE}${page}.md`, "utf8");
  return Array.from(text.matchAll(/^```js\n(.*?)^```$/gms), ([, program = ""]) => program);
}
