import { randomBytes } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, statSync, utimesSync, writeSync } from "node:fs";
import { errorCode } from "../../../runtime/describe-error.js";
import { livenessOf, ownIdentity, type ProcessIdentity } from "./process-identity.js";
import { readBeginning } from "./regular-file.js";

/** A lock that this process holds until it releases it or ends. */
export interface FileLock {
  /** True if another process has the lock now: this one was removed from outside. */
  isTakenOver(): boolean;
  /** May be called twice. */
  release(): void;
}

/** Options of {@link takeFileLock}. */
export interface FileLockOptions {
  /** Takes over a lock of this process: the thread that held it is dead. */
  readonly isOwnThreadDead?: boolean;
  readonly identity?: ProcessIdentity;
  /** Blocks this thread. */
  readonly sleep?: (ms: number) => void;
}

/** Another process holds the lock. */
export class LockHeldError extends Error {
  override readonly name = "LockHeldError";
  /** Undefined if its id has no meaning here. */
  readonly pid: number | undefined;

  constructor(pid: number | undefined) {
    super(pid === undefined ? "Another process holds the lock." : `Process ${pid} holds the lock.`);
    this.pid = pid;
  }
}

/** What a lock file says about its holder. */
interface Holder extends ProcessIdentity {
  /** Random, for each taking of a lock. */
  readonly token: string;
}

/** How often the holder touches the file, which tells processes in other containers that it is alive. */
const TOUCH_INTERVAL_MS = 3000;
/** How long another container watches for that. */
const WATCH_MS = 10_000;
const WATCH_STEP_MS = 500;
/** How long a file without a complete content may be one that is being written. */
const WRITING_MS = 1000;
const RETRY_MS = 50;
const MAX_ATTEMPTS = 100;
/** A lock file has about 200 bytes. What is longer is none. */
const MAX_LOCK_BYTES = 4096;

/**
 * Takes a lock: a file with the identity of its holder. The lock of a process that no longer runs is taken over. SQLite's
 * own locks do not serve: the two drivers do not see each other's, and one of them leaves its lock behind when it is killed.
 *
 * @throws LockHeldError if another process holds it; NotAFileError if something else has its name; the error of the file
 *   system if the file cannot be written.
 */
export function takeFileLock(path: string, options: FileLockOptions = {}): FileLock {
  const { identity = ownIdentity(), sleep = blockThread, isOwnThreadDead = false } = options;
  const own: Holder = { ...identity, token: randomBytes(8).toString("hex") };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (create(path, own)) return hold(path, own.token);
    const holder = readHolder(path, sleep);
    if (holder === "released") continue;
    if (holder !== "unreadable") {
      const liveness = livenessOf(holder, own);
      const isOwn = liveness === "alive" && holder.pid === own.pid;
      const isLeft = isOwn && (isOwnThreadDead || leftTokens.has(holder.token));
      if (liveness === "alive" && !isLeft) throw new LockHeldError(holder.pid);
      if (liveness === "elsewhere" && isTouched(path, sleep)) throw new LockHeldError(undefined);
    }
    if (!removeDead(path, holder === "unreadable" ? undefined : holder.token, own)) sleep(RETRY_MS);
  }
  throw new LockHeldError(undefined);
}

/** Creates the file. @returns false if it exists. */
function create(path: string, holder: Holder): boolean {
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeSync(file, `${JSON.stringify(holder)}\n`);
  } finally {
    closeSync(file);
  }
  return true;
}

function readHolder(path: string, sleep: (ms: number) => void): Holder | "released" | "unreadable" {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    let content: Buffer;
    try {
      content = readLock(path);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return "released";
      throw error;
    }
    if (content.length > MAX_LOCK_BYTES) return "unreadable";
    const holder = parseHolder(content);
    if (holder !== undefined) return holder;
    if (waitedMs >= WRITING_MS) return "unreadable";
    sleep(RETRY_MS);
  }
}

/** The content of a lock file, or the beginning of one that is too long. */
function readLock(path: string): Buffer {
  return readBeginning(path, { maxBytes: MAX_LOCK_BYTES + 1, followsLinks: false });
}

function parseHolder(content: Buffer): Holder | undefined {
  try {
    const holder = JSON.parse(content.toString()) as Partial<Holder> | null;
    const isHolder = Number.isSafeInteger(holder?.pid) && /^[\da-f]{16}$/.test(holder?.token ?? "");
    return isHolder ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}

/** True if the holder touches the file while this thread watches. */
function isTouched(path: string, sleep: (ms: number) => void): boolean {
  const before = touchedAt(path);
  for (let waitedMs = 0; waitedMs < WATCH_MS; waitedMs += WATCH_STEP_MS) {
    sleep(WATCH_STEP_MS);
    if (touchedAt(path) !== before) return true;
  }
  return false;
}

function touchedAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/**
 * Removes the lock of a dead process. Several processes may find it dead at the same time. Only the one that creates the
 * claim on that very lock removes it, so that none removes the lock that another one has taken since.
 *
 * @param token - undefined if the file is unreadable.
 */
function removeDead(path: string, token: string | undefined, own: Holder): boolean {
  const claim = `${path}.${token ?? "unreadable"}`;
  if (!create(claim, own)) {
    removeDeadClaim(claim, own);
    return false;
  }
  try {
    if (tokenIn(path) === token) rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(claim, { force: true });
  }
}

function removeDeadClaim(claim: string, own: Holder): void {
  const holder = readHolder(claim, () => undefined);
  if (holder === "released") return;
  if (holder !== "unreadable" && livenessOf(holder, own) === "alive") return;
  const aside = `${claim}.${own.token}`;
  try {
    renameSync(claim, aside);
  } catch {
    return;
  }
  rmSync(aside, { force: true });
}

/** The token in a lock file; undefined if it has none. */
function tokenIn(path: string): string | undefined {
  try {
    return parseHolder(readLock(path))?.token;
  } catch {
    return undefined;
  }
}

function hold(path: string, token: string): FileLock {
  let isHeld = true;
  const timer = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch {
      // The directory may be gone. The lock of a directory that is gone is worth nothing.
    }
  }, TOUCH_INTERVAL_MS);
  timer.unref();
  releaseAtExit(release);
  return {
    isTakenOver() {
      const holder = tokenIn(path);
      return holder !== undefined && holder !== token;
    },
    release,
  };

  function release(): void {
    if (!isHeld) return;
    isHeld = false;
    clearInterval(timer);
    forgetAtExit(release);
    leftTokens.add(token);
    const found = tokenIn(path);
    if (found === token) rmSync(path, { force: true });
    if (found !== undefined) leftTokens.delete(token);
  }
}

/** Of locks that were released, but whose file could not be read or removed then: it may still be there when the lock is taken again. */
const leftTokens = new Set<string>();

/** The locks of this process or thread. One listener for all: Node warns of more than ten. */
const heldLocks = new Set<() => void>();

function releaseAtExit(release: () => void): void {
  // In a thread: when the thread ends, also after an error.
  if (heldLocks.size === 0) process.once("exit", releaseAll);
  heldLocks.add(release);
}

function forgetAtExit(release: () => void): void {
  heldLocks.delete(release);
  if (heldLocks.size === 0) process.removeListener("exit", releaseAll);
}

function releaseAll(): void {
  for (const release of heldLocks) release();
}

function blockThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
