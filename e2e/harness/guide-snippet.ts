import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const GUIDE = fileURLToPath(new URL("../../docs/guide/", import.meta.url));

/** The programs on a page of the guide. */
export function guidePrograms(page: string): string[] {
  return guideBlocks(page, "js");
}

/** The code blocks of a language on a page of the guide. */
export function guideBlocks(page: string, language: string): string[] {
  const text = readFileSync(`${GUIDE}${page}.md`, "utf8");
  const blocks = text.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  return Array.from(blocks).flatMap(([, name, block = ""]) => (name === language ? [block] : []));
}

/** The lines of shell on a page of the guide. */
export function guideShellLines(page: string): string[] {
  const text = readFileSync(`${GUIDE}${page}.md`, "utf8");
  return Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, lines = ""]) =>
    lines.trim().split("\n"),
  ).flat();
}
