import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { lineWriter } from "../../src/logging/line-writer.js";

let directory: string;
let pipe: number;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "obspan-pipe-"));
  const path = join(directory, "pipe");
  execFileSync("mkfifo", [path]);
  pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
});
afterAll(() => {
  closeSync(pipe);
  rmSync(directory, { recursive: true });
});

/** Reads the content of the pipe. */
function drain(): string {
  const chunk = Buffer.alloc(4 << 20);
  return chunk.toString("utf8", 0, readSync(pipe, chunk));
}

it("waits for a slow reader until the timeout, drops the line, and starts the next on a new line", () => {
  const write = lineWriter(pipe, 100);
  const more = `${"x".repeat(1 << 20)}\n`; // more than a pipe holds

  const startedMs = performance.now();
  expect(write(more)).toMatchObject({ code: "EAGAIN" });
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(100);

  const againMs = performance.now();
  for (let n = 0; n < 50; n++) expect(write("lost\n")).toMatchObject({ code: "EAGAIN" });
  // Not 50 timeouts.
  expect(performance.now() - againMs).toBeLessThan(2500);

  drain();
  expect(write("after\n")).toBeUndefined();
  expect(drain()).toBe("\nafter\n");
});

it("writes a complete line", () => {
  const write = lineWriter(pipe, 100);
  expect(write("é\n")).toBeUndefined();
  expect(drain()).toBe("é\n");
});
