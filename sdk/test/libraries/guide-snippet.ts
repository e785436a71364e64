import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "../../..");

/** The examples in TypeScript on a page of the guide. */
export function guideSnippets(page: string): string[] {
  const text = readFileSync(join(ROOT, "docs/guide", `${page}.md`), "utf8");
  return Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = ""]) => code);
}

/**
 * Runs an example in this process, with the sources of the SDK. Its spans stay in the buffer.
 *
 * @param modules - other modules than those that the example imports, by name.
 */
export async function runSnippet(
  code: string,
  modules: Readonly<Record<string, string>> = {},
): Promise<void> {
  const source = (path: string): string => pathToFileURL(join(ROOT, "sdk/src", path)).href;
  let text = code
    .replace(/, pushUrl: "[^"]*"/, "")
    .replaceAll(/"@obspan\/sdk\/([\w-]+)"/g, (_, entry: string) =>
      JSON.stringify(source(`integrations/${entry}/index.ts`)),
    )
    .replaceAll('"@obspan/sdk"', JSON.stringify(source("index.ts")));
  for (const [name, other] of Object.entries(modules))
    text = text.replaceAll(`from "${name}"`, `from "${other}"`);
  // It finds the libraries there, and lint does not find it.
  const folder = join(import.meta.dirname, `node_modules/.snippet-${process.pid}-${Date.now()}`);
  mkdirSync(folder);
  try {
    const file = join(folder, "snippet.ts");
    writeFileSync(file, text);
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
