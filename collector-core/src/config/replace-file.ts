import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { mkdir, open, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "../runtime/describe-error.js";

/** Sets the owner and the group of a file. */
export type GiveTo = (file: FileHandle, { uid, gid }: Pick<Stats, "uid" | "gid">) => Promise<void>;

/** Renames a file. */
export type RenameFile = (from: string, to: string) => Promise<void>;

const OWNER_ONLY = 0o600;
const DIRECTORY_OF_OWNER = 0o700;
const PERMISSIONS = 0o7777;

/**
 * Replaces the content of a file atomically and keeps its owner, group and mode. The text is written to a temporary file
 * in the same directory, which is then renamed: a crash leaves the old or the new content. If this process may not set
 * the owner, the file is overwritten in place; the temporary file keeps a complete copy until that is done, and the old content
 * comes back if it fails, such as on a full disk.
 *
 * @throws the error of the file system.
 */
export async function replaceFile(
  path: string,
  content: string,
  giveTo: GiveTo = chown,
  renameFile: RenameFile = rename,
): Promise<void> {
  // Replace the target of a symbolic link, not the link.
  const target = await realpath(path);
  const before = await stat(target);
  let isSame = false;
  await writeBeside(
    target,
    async (file) => {
      isSame = await makeLike(file, before, giveTo);
      await file.writeFile(content);
    },
    async (temporary) => {
      if (isSame) await whenFree(() => renameFile(temporary, target));
      else await overwrite(target, content);
    },
  );
}

/**
 * Writes a file that only its owner may read, with the directories above it. It is written whole before it has its name: a crash
 * leaves the old or the new content.
 *
 * @throws the error of the file system.
 */
export async function writePrivateFile(
  path: string,
  content: string,
  renameFile: RenameFile = rename,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: DIRECTORY_OF_OWNER });
  await writeBeside(
    path,
    (file) => file.writeFile(content),
    (temporary) => whenFree(() => renameFile(temporary, path)),
  );
}

/**
 * Writes a temporary file in the directory of another one, and hands on its path once the content is on the disk. Then it is
 * removed, unless it was renamed.
 *
 * @param write - gets a file that only its owner may read, and that nobody else has opened.
 */
export async function writeBeside(
  path: string,
  write: (file: FileHandle) => Promise<void>,
  use: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", OWNER_ONLY);
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await use(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Errors of Windows while another program has the file open, such as a virus scanner. */
const IN_USE: ReadonlySet<string | undefined> = new Set(["EPERM", "EACCES", "EBUSY"]);
/** How long it is tried again: scanners take less. */
const RETRIES_MS = [10, 20, 50, 100, 200, 400];

/** Does something with a file, again and again while another program has the file open. @throws the last error. */
export async function whenFree(act: () => Promise<void>): Promise<void> {
  for (const retryMs of RETRIES_MS) {
    try {
      await act();
      return;
    } catch (error) {
      if (!IN_USE.has(errorCode(error))) throw error;
    }
    await delay(retryMs);
  }
  await act();
}

/** Copies owner, group and mode. @returns false if this process may not set the owner. */
async function makeLike(file: FileHandle, { uid, gid, mode }: Stats, giveTo: GiveTo): Promise<boolean> {
  try {
    await giveTo(file, { uid, gid });
  } catch (error) {
    if (errorCode(error) === "EPERM") return false;
    throw error;
  }
  // chown clears the setuid bits, and open() applies the umask: set the mode last.
  await file.chmod(mode & PERMISSIONS);
  return true;
}

async function chown(file: FileHandle, { uid, gid }: Pick<Stats, "uid" | "gid">): Promise<void> {
  const now = await file.stat();
  if (now.uid !== uid || now.gid !== gid) await file.chown(uid, gid);
}

async function overwrite(target: string, content: string): Promise<void> {
  const file = await open(target, "r+");
  try {
    const before = await file.readFile();
    try {
      await writeWhole(file, Buffer.from(content));
    } catch (error) {
      await writeWhole(file, before);
      throw error;
    }
  } finally {
    await file.close();
  }
}

async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;)
    at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
  await file.truncate(bytes.length);
  await file.sync();
}
