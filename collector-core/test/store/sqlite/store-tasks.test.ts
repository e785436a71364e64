import { statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createStorageEngine } from "../../../src/store/sqlite/engine/create-storage-engine.js";
import type { StorageEngine } from "../../../src/store/sqlite/thread/storage-engine.js";
import { temporaryDirectory } from "./temporary-directory.js";

const GIB = 2 ** 30;
const signal = new AbortController().signal;

function openEngine(): {
  engine: StorageEngine;
  path: string;
  pass(ms: number): void;
  setFreeBytes(bytes: number): void;
} {
  let nowMs = 1_000_000;
  let freeBytes = 100 * GIB;
  const directory = temporaryDirectory();
  const engine = createStorageEngine(
    {
      directory,
      maxTraces: Number.POSITIVE_INFINITY,
      maxSpansPerTrace: 500,
      ttlSeconds: 0,
      maxBufferBytes: 2 ** 28,
      diskMaxBytes: GIB,
      commitIntervalMs: 200,
      minFreeBytes: GIB,
    },
    { log: () => undefined },
    { clock: { now: () => nowMs, monotonic: () => nowMs }, freeBytes: () => freeBytes },
  );
  onTestFinished(() => engine.close());
  return {
    engine,
    path: join(directory, "traces.db"),
    pass: (ms) => void (nowMs += ms),
    setFreeBytes: (bytes) => void (freeBytes = bytes),
  };
}

describe("a backup of an open file", () => {
  it("returns the whole file and then nothing", async () => {
    const { engine } = openEngine();
    const { backup, size } = await engine.commands.openBackup(undefined, signal);
    const part = await engine.commands.readBackup(backup, signal);
    expect(part?.bytes.byteLength).toBe(size);
    expect(await engine.commands.readBackup(backup, signal)).toBeUndefined();
  });

  it("ends when it is not read for a minute", async () => {
    const { engine, pass } = openEngine();
    const { backup } = await engine.commands.openBackup(undefined, signal);
    pass(59_000);
    engine.tick();
    expect(await engine.commands.readBackup(backup, signal)).toBeDefined();
    pass(61_000);
    engine.tick();
    await expect(engine.commands.readBackup(backup, signal)).rejects.toMatchObject({
      code: "trace_store_unavailable",
      message: "The backup was not read for too long.",
    });
  });

  it("ends when the write-ahead log has more than 512 MiB", async () => {
    const { engine, path } = openEngine();
    const { backup } = await engine.commands.openBackup(undefined, signal);
    const log = `${path}-wal`;
    // Zeros at the end of the log are no part of it, and take no space on the disk.
    truncateSync(log, 512 * 2 ** 20);
    engine.tick();
    expect(await engine.commands.readBackup(backup, signal)).toBeDefined();
    truncateSync(log, 512 * 2 ** 20 + 1);
    engine.tick();
    await expect(engine.commands.readBackup(backup, signal)).rejects.toMatchObject({
      code: "trace_store_unavailable",
      message: "The backup took too long: too much was written meanwhile.",
    });
    expect(statSync(log).size).toBeLessThan(2 ** 20);
    const next = await engine.commands.openBackup(undefined, signal);
    expect(await engine.commands.readBackup(next.backup, signal)).toBeDefined();
  });

  it("ends when the disk gets short of space", async () => {
    const { engine, setFreeBytes } = openEngine();
    const { backup } = await engine.commands.openBackup(undefined, signal);
    setFreeBytes(GIB - 1);
    engine.tick();
    await expect(engine.commands.readBackup(backup, signal)).rejects.toMatchObject({
      message: "The disk has too little free space for a backup.",
    });
  });

  it("ends when the store is cleared", async () => {
    const { engine } = openEngine();
    const { backup } = await engine.commands.openBackup(undefined, signal);
    await engine.commands.readBackup(backup, signal);
    await engine.commands.clear();
    await engine.commands.closeBackup(backup);
    const next = await engine.commands.openBackup(undefined, signal);
    expect(await engine.commands.readBackup(next.backup, signal)).toBeDefined();
  });
});
