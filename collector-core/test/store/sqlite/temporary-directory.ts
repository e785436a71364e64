import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty directory, which is removed after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-sqlite-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
