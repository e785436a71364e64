import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Third-party files, and the output of builds and installations. */
const SKIPPED_DIRECTORIES = new Set([
  ...["node_modules", "dist", "dist-test", "out", "coverage", "fixtures", "labelled"],
  ...["collector-core/bundle", "collector-core/ui", "collector-core/src/otlp/proto"],
]);
const SKIPPED_FILES = new Set(["package-lock.json"]);
const TEXT_FILE = /\.(?:ts|tsx|mts|js|mjs|cjs|css|html|md|json|ya?ml)$/;

/** A text file of the repository. */
export interface RepositoryFile {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** Every text file written for the project: code, tests, docs and configuration. */
export function repositoryFiles(): RepositoryFile[] {
  const files: RepositoryFile[] = [];
  const directories = [ROOT];
  for (const directory of directories) {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const absolute = join(directory, entry.name);
      const path = relative(ROOT, absolute).replaceAll("\\", "/");
      const isSkipped =
        entry.name.startsWith(".") || SKIPPED_DIRECTORIES.has(entry.name) || SKIPPED_DIRECTORIES.has(path);
      if (entry.isDirectory() && !isSkipped) directories.push(absolute);
      if (entry.isFile() && TEXT_FILE.test(entry.name) && !SKIPPED_FILES.has(entry.name))
        files.push({ path, text: readFileSync(absolute, "utf8") });
    }
  }
  return files;
}

/** The directory of a file of the repository, relative to the root. */
export function directoryOf(path: string): string {
  const directory = dirname(path);
  return directory === "." ? "" : directory;
}
