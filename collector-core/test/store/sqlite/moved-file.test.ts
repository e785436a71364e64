import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { takeFileLock } from "../../../src/store/sqlite/file/file-lock.js";
import { aSpan, pipelineSpans } from "../span-batches.js";
import { openDurableStore, type DurableStore, type DurableStoreOptions } from "./durable-store.js";

describe("a durable store whose file is removed or replaced while it is open", () => {
  let durable: DurableStore;
  const open = async (options: DurableStoreOptions = {}): Promise<void> => {
    durable = await openDurableStore({ isTickedByTest: true, ...options });
  };
  afterEach(() => durable.close());

  const append = async (...names: readonly string[]): Promise<void> => {
    await durable.store.append(pipelineSpans(names.map((name) => aSpan({ trace_id: name }))));
    await durable.store.flush();
  };
  const ids = async (): Promise<string[]> =>
    (await durable.store.list({ limit: 100 })).traces.map((trace) => trace.trace_id).toSorted();
  const lost = (): number => durable.store.usage().unsaved.file_gone;

  it("goes on with a new file, and counts what was in the earlier one", async () => {
    await open();
    await append("a", "b");
    rmSync(durable.directory, { recursive: true });
    await append("c");
    expect([await ids(), lost(), durable.store.usage().state]).toEqual([["c"], 2, "ok"]);
    await durable.reopen();
    expect(await ids()).toEqual(["c"]);
  });

  it.skipIf(process.platform === "win32")(
    "goes on writing to its open file, and counts each span once, while the directory cannot be searched",
    async () => {
      await open();
      await append("a");
      const aside = `${durable.directory}-aside`;
      renameSync(durable.directory, aside);
      // As without the permission, which root does not need: every look at the directory fails.
      symlinkSync(durable.directory, durable.directory);
      await append("b");
      durable.clock.advance(2000);
      durable.engine.tick();
      await append("c");
      expect(await ids()).toEqual(["a", "b", "c"]);
      expect(durable.store.usage()).toMatchObject({
        state: "ok",
        unsaved: { io_error: 0, file_gone: 0, thread_died: 0 },
      });
      rmSync(durable.directory);
      renameSync(aside, durable.directory);
      await durable.reopen();
      expect(await ids()).toEqual(["a", "b", "c"]);
    },
  );

  it("finds out without a new span", async () => {
    await open();
    await append("a", "b");
    rmSync(durable.path);
    durable.clock.advance(2000);
    durable.engine.tick();
    expect(await ids()).toEqual([]);
    expect(lost()).toBe(2);
  });

  it("goes on with the file that was put in its place", async () => {
    await open();
    await append("a");
    const earlier = `${durable.directory}-earlier`;
    const { directory } = durable;
    await durable.reopen();
    await append("b");
    // The directory of another store.
    const other = await openDurableStore();
    await other.store.append(pipelineSpans([aSpan({ trace_id: "x" })]));
    await other.store.stop();
    renameSync(directory, earlier);
    renameSync(other.directory, directory);
    await append("c");
    expect([await ids(), lost()]).toEqual([["c", "x"], 2]);
    rmSync(earlier, { recursive: true });
  });

  it("leaves the files of another process that has the directory by now", async () => {
    await open();
    await append("a");
    rmSync(durable.directory, { recursive: true });
    mkdirSync(durable.directory);
    const lock = takeFileLock(join(durable.directory, "traces.lock"));
    writeFileSync(`${durable.path}-wal`, "of the other process");
    await append("b");
    expect(existsSync(`${durable.path}-wal`)).toBe(true);
    expect(durable.store.usage()).toMatchObject({
      state: "degraded",
      reason: expect.stringContaining("is in use") as string,
      unsaved: { file_gone: 1, io_error: 1 },
    });
    lock.release();
  });
});
