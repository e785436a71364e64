import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf } from "../running-collector.js";
import { viewsClient } from "./views-client.js";

function traceDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-views-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

describe("saved views beside stored traces", () => {
  it("contract 9: outlive the process and the traces, in a file that only its owner reads", async () => {
    const directory = traceDirectory();
    const settings = { TRACE_STORE_PATH: directory };
    const first = await viewsClient(settings);
    await Promise.all(["a", "b", "c"].map((id) => first.put(id, { name: id, query: "tool:x" })));
    await first.remove("slow");
    await fetch(`${first.url}/v1/traces`, { method: "DELETE" });
    const before = await first.get();
    await first.collector.stop();
    expect(statSync(join(directory, "views.json")).mode & 0o777).toBe(0o600);
    const second = await viewsClient(settings);
    expect(await second.get()).toEqual(before);
    expect(before.map(({ id }) => id).toSorted()).toEqual(["a", "b", "c", "costly", "errors"]);
  });

  it("are in a backup of the store, and come back with it where there are none", async () => {
    const first = await viewsClient({ TRACE_STORE_PATH: traceDirectory() });
    await first.put("mine", { name: "Mine", query: "tool:x", group_by: "@tier", order: "p95" });
    await first.remove("slow");
    await first.post({ spans: [{ name: "chat", trace_id: "t", duration_ms: 1 }] });
    await first.settled();
    const copy = async (): Promise<Buffer> =>
      Buffer.from(await (await fetch(`${first.url}/v1/store/backup`)).arrayBuffer());
    const early = await copy();
    await first.put("later", { name: "Later", query: "" });
    const late = await copy();

    const idsIn = async (backup: Buffer, views?: string): Promise<string[]> => {
      const directory = traceDirectory();
      writeFileSync(join(directory, "traces.db"), backup);
      if (views !== undefined) writeFileSync(join(directory, "views.json"), views);
      const restored = await viewsClient({ TRACE_STORE_PATH: directory });
      const ids = (await restored.get()).map(({ id }) => id);
      return ids;
    };
    expect(await idsIn(early)).toEqual(["errors", "costly", "mine"]);
    expect(await idsIn(late)).toEqual(["errors", "costly", "mine", "later"]);
    // The file beside the traces is newer than what a backup brought.
    expect(await idsIn(late, '{"views":[]}')).toEqual([]);
  });

  it("shows the default views if the file cannot be read, and says so", async () => {
    const directory = traceDirectory();
    writeFileSync(join(directory, "views.json"), "{");
    const { get, lines } = await viewsClient({ TRACE_STORE_PATH: directory });
    expect(await get()).toHaveLength(3);
    expect(lines.map(({ message }) => message).join("\n")).toContain("The saved views cannot be read.");
  });

  it.each([
    ["a named pipe, which nobody writes to", (path: string) => execFileSync("mkfifo", [path])],
    [
      "a file that does not fit into memory",
      (path: string) => {
        writeFileSync(path, "[");
        truncateSync(path, 2 ** 32);
      },
    ],
  ])("shows the default views if their file is %s", async (_name, create) => {
    const directory = traceDirectory();
    create(join(directory, "views.json"));
    const { get, lines } = await viewsClient({ TRACE_STORE_PATH: directory });
    expect(await get()).toHaveLength(3);
    expect(lines.map(({ message }) => message).join("\n")).toContain("The saved views cannot be read.");
  });

  it("says so if the file cannot be written, and keeps the views as they were", async () => {
    const directory = traceDirectory();
    // As on a full disk, every write fails; root may write everywhere else.
    mkdirSync(join(directory, "views.json"));
    const { url, get, lines } = await viewsClient({ TRACE_STORE_PATH: directory });
    const before = await get();
    for (const [method, id] of [
      ["PUT", "a"],
      ["DELETE", "slow"],
    ] as const) {
      const response = await fetch(`${url}/v1/views/${id}`, {
        method,
        ...(method === "PUT" && {
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ name: "A", page: "traces", query: "" }),
        }),
      });
      expect(response.headers.get("retry-after")).toBe("5");
      expect(await errorOf(response)).toMatchObject({
        status: 503,
        code: "views_not_writable",
        details: { system: "EISDIR" },
      });
    }
    expect(await get()).toEqual(before);
    expect(lines.filter(({ level }) => level === "ERROR")).toEqual([]);
  });

  it("leaves out what is no view", async () => {
    const directory = traceDirectory();
    const view = {
      id: "a",
      name: "A",
      page: "traces",
      query: "",
      columns: null,
      order: null,
      group_by: null,
    };
    writeFileSync(join(directory, "views.json"), JSON.stringify({ views: [view, { id: "b" }, null] }));
    const { get } = await viewsClient({ TRACE_STORE_PATH: directory });
    expect(await get()).toEqual([view]);
  });
});
