import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  LockHeldError,
  takeFileLock,
  type FileLockOptions,
} from "../../../src/store/sqlite/file/file-lock.js";
import {
  livenessOf,
  ownIdentity,
  type ProcessIdentity,
} from "../../../src/store/sqlite/file/process-identity.js";
import { NotAFileError } from "../../../src/store/sqlite/file/regular-file.js";
import { temporaryDirectory } from "./temporary-directory.js";

const lockPath = () => join(temporaryDirectory(), "traces.lock");
/** For processes of the tests. */
const COMPILED = new URL("../../../dist/store/sqlite/file/file-lock.js", import.meta.url).href;
const noSleep = () => undefined;

function take(path: string, options: FileLockOptions = {}) {
  const lock = takeFileLock(path, { sleep: noSleep, ...options });
  onTestFinished(() => lock.release());
  return lock;
}

function heldBy(path: string, options: FileLockOptions = {}): LockHeldError {
  try {
    take(path, options);
  } catch (error) {
    expect(error).toBeInstanceOf(LockHeldError);
    return error as LockHeldError;
  }
  throw new Error("The lock was free.");
}

/** Writes the lock of another process. */
function writeLock(path: string, holder: Partial<ProcessIdentity>): void {
  writeFileSync(path, JSON.stringify({ ...ownIdentity(), token: "0123456789abcdef", ...holder }));
}

/** A process that runs until the test is over. */
async function otherProcess(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log('ready')"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child as ChildProcess & { pid: number };
}

function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

/** The identity of a running process, as it writes it into its lock. */
function identityOf(pid: number): ProcessIdentity {
  const { boot, pidNamespace, host } = ownIdentity();
  return { pid, boot, pidNamespace, host, started: "" };
}

describe("a file lock", () => {
  it("is held by one, and free after its release", () => {
    const path = lockPath();
    const first = take(path);
    expect(heldBy(path).pid).toBe(process.pid);
    first.release();
    first.release();
    expect(existsSync(path)).toBe(false);
    take(path);
  });

  it("names the process that holds it, and is taken over when that process is killed", async () => {
    const path = lockPath();
    const child = await otherProcess();
    writeLock(path, identityOf(child.pid));
    expect(heldBy(path).pid).toBe(child.pid);

    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
    take(path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
    expect(readdirSync(join(path, ".."))).toEqual(["traces.lock"]);
  });

  it.runIf(["linux", "darwin", "win32"].includes(process.platform))(
    "is taken over if its process id belongs to another process now",
    async () => {
      const path = lockPath();
      const child = await otherProcess();
      const started = process.platform === "linux" ? "1 ticks" : new Date(0).toISOString();
      writeLock(path, { ...identityOf(child.pid), started });
      take(path);
      writeLock(path, { ...ownIdentity(), started });
      take(path);
    },
  );

  it("is taken over after the machine was started again, outside of containers", () => {
    const path = lockPath();
    const outside = { boot: "now", pidNamespace: "pid:[4026531836]", host: hostname() };
    writeLock(path, { ...outside, boot: "before" });
    take(path, { identity: { ...ownIdentity(), ...outside } });
  });

  it("of another container is held while its holder touches it", () => {
    const path = lockPath();
    writeLock(path, { pidNamespace: "pid:[1]" });
    let now = 1_000_000;
    const sleep = () => utimesSync(path, ++now, now);
    expect(heldBy(path, { sleep }).pid).toBeUndefined();

    const watchedMs: number[] = [];
    take(path, { sleep: (ms) => void watchedMs.push(ms) });
    expect(watchedMs.reduce((sum, ms) => sum + ms, 0)).toBe(10_000);
  });

  it("of this process is taken over only where the thread that held it is known to be dead", () => {
    const path = lockPath();
    writeLock(path, {});
    expect(heldBy(path).pid).toBe(process.pid);
    take(path, { isOwnThreadDead: true });

    // Process 1 of another container is not this process.
    const other = lockPath();
    writeLock(other, { pidNamespace: "pid:[1]" });
    let now = 1_000_000;
    const sleep = () => utimesSync(other, ++now, now);
    expect(heldBy(other, { isOwnThreadDead: true, sleep }).pid).toBeUndefined();
  });

  it.each(["", "{", "null", "[]", '{"pid":1}', '{"pid":1,"token":"../../escape"}'])(
    "is taken over if its file was cut off by a crash: %j",
    (content) => {
      const path = lockPath();
      writeFileSync(path, content);
      take(path);
      expect(readdirSync(join(path, ".."))).toEqual(["traces.lock"]);
    },
  );

  it("is free after its release also if its file could not be reached then", () => {
    const path = lockPath();
    const lock = take(path);
    renameSync(path, `${path}.away`);
    lock.release();
    renameSync(`${path}.away`, path);
    const next = take(path);
    expect(heldBy(path).pid).toBe(process.pid);
    next.release();
    expect(existsSync(path)).toBe(false);
  });

  it("is taken over after a process died while it took it over", () => {
    const path = lockPath();
    writeLock(path, { pid: deadPid() });
    writeFileSync(
      `${path}.0123456789abcdef`,
      JSON.stringify({ ...ownIdentity(), pid: deadPid(), token: "fedcba9876543210" }),
    );
    take(path);
    expect(readdirSync(join(path, ".."))).toEqual(["traces.lock"]);
  });

  it("does not release the lock of another holder", () => {
    const path = lockPath();
    const lock = take(path);
    writeLock(path, {});
    lock.release();
    expect(existsSync(path)).toBe(true);
  });

  it("throws the error of the file system if it cannot be written", () => {
    expect(() => takeFileLock(join(temporaryDirectory(), "missing", "traces.lock"))).toThrow("ENOENT");
  });

  it("of 3 GiB is read only in part, and taken over at once", () => {
    const path = lockPath();
    writeFileSync(path, "");
    truncateSync(path, 3 * 2 ** 30);
    let sleptMs = 0;
    take(path, { sleep: (ms) => void (sleptMs += ms) });
    expect(sleptMs).toBe(0);
    expect(statSync(path).size).toBeLessThan(4096);
  });

  it.skipIf(process.platform === "win32").each([
    ["a named pipe", (path: string) => spawnSync("mkfifo", [path])],
    ["a directory", (path: string) => mkdirSync(path)],
    ["a link to nothing", (path: string) => symlinkSync("nowhere", path)],
    ["a link to a file", (path: string) => symlinkSync(process.execPath, path)],
  ])("is refused at once where %s has its name", (_what, put) => {
    const path = lockPath();
    put(path);
    const before = lstatSync(path).ino;
    expect(() => take(path)).toThrow(new NotAFileError(path));
    expect(lstatSync(path).ino).toBe(before);
  });

  it("does not add a listener to the process for each lock", () => {
    const before = process.listenerCount("exit");
    const locks = Array.from({ length: 12 }, () => takeFileLock(lockPath()));
    expect(process.listenerCount("exit")).toBeLessThanOrEqual(before + 1);
    for (const lock of locks) lock.release();
    expect(process.listenerCount("exit")).toBe(before);
  });

  it("is released when the process ends", () => {
    const path = lockPath();
    const script = `
      const { takeFileLock } = await import(${JSON.stringify(COMPILED)});
      takeFileLock(${JSON.stringify(path)});
      takeFileLock(${JSON.stringify(`${path}.second`)});
    `;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
    expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: "" });
    expect(existsSync(path)).toBe(false);
    expect(existsSync(`${path}.second`)).toBe(false);
  });

  it("tells this process from others", () => {
    const own = ownIdentity();
    expect(livenessOf(own, own)).toBe("alive");
    expect(livenessOf({ ...own, pid: deadPid() }, own)).toBe("dead");
    expect(livenessOf({ ...own, boot: "other", host: "other" }, own)).toBe("elsewhere");
  });
});

it("a dead lock is taken over by exactly one of several processes", async () => {
  const path = lockPath();
  writeLock(path, { pid: deadPid() });
  const program = `
    import { takeFileLock } from ${JSON.stringify(COMPILED)};
    try { takeFileLock(${JSON.stringify(path)}); console.log("taken"); } catch (error) { console.log(error.name); }
    process.stdin.resume();`;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
  });
  const results = await Promise.all(
    children.map(async ({ stdout }) => String((await once(stdout, "data"))[0]).trim()),
  );
  expect(results.filter((result) => result === "taken")).toHaveLength(1);
  expect(results.filter((result) => result === "LockHeldError")).toHaveLength(5);
});
