import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { createNextConfig } from "../../src/config/next-config.js";

/** A configuration file, and what is read from it. */
function openFile() {
  const directory = mkdtempSync(join(tmpdir(), "obspan-next-config-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "obspan.yaml");
  const write = (rate: number, path = file): void => writeFileSync(path, `sampling:\n  rate: ${rate}\n`);
  write(0.1);
  const result = loadConfig({ env: {}, configPath: file });
  if (result.type === "refused") throw new Error(result.problems.join());
  const { loaded } = result;
  let parsed = 0;
  const next = createNextConfig({
    ...loaded,
    recheck(content) {
      parsed++;
      return loaded.recheck(content);
    },
  });
  return {
    directory,
    file,
    write,
    parsed: () => parsed,
    /** The value after the next start, or why there is none. */
    next() {
      const found = next();
      return found?.type === "loaded" ? found.loaded.config["sampling.rate"] : found?.problems.join();
    },
  };
}

/** What was written before this call was not written just now. */
function laterOn(): void {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + 3_600_000);
}

describe("contract 3: what GET /v1/config says of the next start", () => {
  it("is read again when the file has changed, not with each request", () => {
    const { next, write, parsed } = openFile();
    laterOn();
    expect([next(), next(), next(), parsed()]).toEqual([0.1, 0.1, 0.1, 1]);
    write(0.2);
    expect([next(), next(), parsed()]).toEqual([0.2, 0.2, 2]);
  });

  it("is that of the file which another one has replaced, with the same size and time", () => {
    const { next, write, file, directory } = openFile();
    laterOn();
    expect(next()).toBe(0.1);
    const other = join(directory, "other.yaml");
    write(0.3, other);
    const { atime, mtime } = statSync(file);
    utimesSync(other, atime, mtime);
    renameSync(other, file);
    expect(next()).toBe(0.3);
  });

  it("is read each time while the file was changed just now: a second change may have the same time", () => {
    const { next, write, file, parsed } = openFile();
    const { atime, mtime } = statSync(file);
    expect(next()).toBe(0.1);
    write(0.4);
    utimesSync(file, atime, mtime);
    expect([next(), next(), parsed()]).toEqual([0.4, 0.4, 3]);
  });

  it("is right when the file cannot be read, and when it can again", () => {
    const { next, write, file } = openFile();
    laterOn();
    expect(next()).toBe(0.1);
    rmSync(file);
    expect(next()).toContain("must be a file that exists");
    mkdirSync(file);
    expect(next()).toContain("not a directory");
    rmSync(file, { recursive: true });
    writeFileSync(file, Buffer.from([0xff]));
    expect(next()).toContain("must be a file in UTF-8");
    write(0.5);
    expect(next()).toBe(0.5);
  });
});
