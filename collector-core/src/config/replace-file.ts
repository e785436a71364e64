import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { open, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";

/** Gives a file its owner and its group. */
export type GiveTo = (file: FileHandle, { uid, gid }: Pick<Stats, "uid" | "gid">) => Promise<void>;

const OWNER_ONLY = 0o600;
const PERMISSIONS = 0o7777;

/**
 * Replaces what a file holds; its owner, its group and its mode stay. The text is written beside the file first and then put
 * in its place: a crash leaves the one or the other, never half of it. Where this process may not give a file to the owner,
 * the text is written into the file itself, and stands beside it whole until that is done.
 *
 * @throws what the system says.
 */
export async function replaceFile(path: string, content: string, giveTo: GiveTo = chown): Promise<void> {
  // A link stays one: what it names is replaced.
  const target = await realpath(path);
  const before = await stat(target);
  const temporary = `${target}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", OWNER_ONLY);
    let isSame: boolean;
    try {
      isSame = await makeLike(file, before, giveTo);
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    if (isSame) await rename(temporary, target);
    else await overwrite(target, content);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** False where this process may not. */
async function makeLike(file: FileHandle, { uid, gid, mode }: Stats, giveTo: GiveTo): Promise<boolean> {
  try {
    await giveTo(file, { uid, gid });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EPERM") return false;
    throw error;
  }
  // After the owner, with whom some bits go; and not when it is opened, where the umask takes some away.
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
    await file.writeFile(content);
    await file.truncate(Buffer.byteLength(content));
    await file.sync();
  } finally {
    await file.close();
  }
}
