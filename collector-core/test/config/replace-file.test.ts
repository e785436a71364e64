import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { replaceFile } from "../../src/config/replace-file.js";

function fileForTest() {
  const directory = mkdtempSync(join(tmpdir(), "obspan-replace-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "obspan.yaml");
  writeFileSync(path, "before", { mode: 0o640 });
  return { path, directory };
}

const denied = Object.assign(new Error("not permitted"), { code: "EPERM" });

it("overwrites the file in place if its owner cannot be set on a new file", async () => {
  const { path, directory } = fileForTest();
  const { ino } = statSync(path);
  await replaceFile(path, "after", async () => {
    throw denied;
  });
  expect(readFileSync(path, "utf8")).toBe("after");
  expect(statSync(path).ino).toBe(ino);
  expect(statSync(path).mode & 0o7777).toBe(0o640);
  expect(readdirSync(directory)).toEqual(["obspan.yaml"]);
});

it("puts the old content back if the file cannot be overwritten whole", async () => {
  const { path, directory } = fileForTest();
  const probe = await open(path);
  const handles = Object.getPrototypeOf(probe) as { write: (...values: unknown[]) => Promise<unknown> };
  await probe.close();
  const { write } = handles;
  onTestFinished(() => void (handles.write = write));
  const failing = replaceFile(path, "after and more", async () => {
    // A part of the new content still fits on the disk, and then the old one.
    handles.write = async function writePart(bytes) {
      handles.write = write;
      await write.call(this, bytes, 0, 3, 0);
      throw Object.assign(new Error("disk"), { code: "ENOSPC" });
    };
    throw denied;
  });
  await expect(failing).rejects.toThrow("disk");
  expect(readFileSync(path, "utf8")).toBe("before");
  expect(readdirSync(directory)).toEqual(["obspan.yaml"]);
});

it("leaves the file unchanged, and no temporary file, after any other error", async () => {
  const { path, directory } = fileForTest();
  const failing = replaceFile(path, "after", async () => {
    throw Object.assign(new Error("disk"), { code: "EIO" });
  });
  await expect(failing).rejects.toThrow("disk");
  expect(readFileSync(path, "utf8")).toBe("before");
  expect(readdirSync(directory)).toEqual(["obspan.yaml"]);
});

it("keeps the temporary file private until it has its owner and its mode", async () => {
  const { path } = fileForTest();
  let mode = 0;
  await replaceFile(path, "after", async (file, { uid, gid }) => {
    mode = (await file.stat()).mode & 0o7777;
    await file.chown(uid, gid);
  });
  expect(mode).toBe(0o600);
  expect(statSync(path).mode & 0o7777).toBe(0o640);
  const file = await open(path);
  expect(await file.readFile("utf8")).toBe("after");
  await file.close();
});

it("tries again while another program has the file open, as scanners of Windows do", async () => {
  const { path, directory } = fileForTest();
  const codes = ["EPERM", "EACCES", "EBUSY"];
  await replaceFile(path, "after", undefined, async (from, to) => {
    const code = codes.shift();
    if (code !== undefined) throw Object.assign(new Error("in use"), { code });
    await rename(from, to);
  });
  expect(readFileSync(path, "utf8")).toBe("after");
  const failing = replaceFile(path, "later", undefined, async () => {
    throw Object.assign(new Error("disk"), { code: "EIO" });
  });
  await expect(failing).rejects.toThrow("disk");
  expect(readFileSync(path, "utf8")).toBe("after");
  expect(readdirSync(directory)).toEqual(["obspan.yaml"]);
});
