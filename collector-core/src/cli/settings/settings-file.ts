import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, mkdir, readFile, realpath, rename, rmdir, stat, unlink } from "node:fs/promises";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { whenFree, writeBeside } from "../../config/replace-file.js";
import { errorCode, errorMessage } from "../../runtime/describe-error.js";
import { CommandFailure } from "../command-failure.js";

/** No settings file is as large: it would be read into memory, and edited as one text. */
const MAX_BYTES = 8 * 2 ** 20;
const BYTE_ORDER_MARK = "\uFEFF";
const OWNER_WRITES = 0o200;
const MODE_BITS = 0o777;

/** A file as it was read. */
export interface SettingsFile {
  /** The name that the user knows. */
  readonly path: string;
  /** The file itself: symbolic links are followed, so that a link stays one. */
  readonly target: string;
  /** Undefined if there is none. */
  readonly content: { readonly bytes: Buffer; readonly mode: number; readonly uid: number } | undefined;
}

/**
 * Reads a file that another program owns.
 *
 * @param roots - directories of the user. A link that leads out of them is refused.
 * @throws CommandFailure
 */
export async function readSettingsFile(path: string, roots: readonly string[]): Promise<SettingsFile> {
  const target = await resolvedPath(path);
  const realRoots = await Promise.all(roots.map(resolvedPath));
  if (!realRoots.some((root) => isWithin(root, target)))
    throw new CommandFailure(
      `${path} leads to ${target}, which is outside of your home and project directories.`,
    );
  const state = await stateOf(target);
  if (state === undefined) return { path, target, content: undefined };
  if (!state.isFile()) throw new CommandFailure(`${path} is not a file.`);
  if (state.size > MAX_BYTES)
    throw new CommandFailure(`${path} has ${state.size} bytes, more than the ${MAX_BYTES} that are edited.`);
  const bytes = await attempt(path, () => readFile(target));
  return { path, target, content: { bytes, mode: state.mode & MODE_BITS, uid: state.uid } };
}

/** The text of a file without its byte order mark. @throws CommandFailure if it is not UTF-8. */
export function textIn({ path, content }: SettingsFile): string {
  if (content === undefined) return "";
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content.bytes);
  } catch (error) {
    throw new CommandFailure(`${path} is not UTF-8.`, { cause: error });
  }
}

/** The bytes of a changed text, with the byte order mark that the file had. */
export function bytesFor({ content }: SettingsFile, text: string): Buffer {
  const hasMark = content?.bytes.subarray(0, 3).equals(Buffer.from(BYTE_ORDER_MARK)) ?? false;
  return Buffer.from(hasMark ? BYTE_ORDER_MARK + text : text);
}

/** @throws CommandFailure if the file may not be replaced. */
export function checkWritable({ path, content }: SettingsFile, uid: number | undefined): void {
  if (content === undefined) return;
  if ((content.mode & OWNER_WRITES) === 0)
    throw new CommandFailure(`${path} is read-only. Make it writable first.`);
  if (uid !== undefined && content.uid !== uid)
    throw new CommandFailure(`${path} belongs to another user: it would become yours.`);
}

/**
 * Replaces a file in one step, with the mode that it had. A reader sees the old bytes or the new ones.
 *
 * @param mode - of a file that is new.
 * @returns the directories that were made for it, the outermost first.
 * @throws CommandFailure if the file has changed since it was read.
 */
export async function replaceFile(
  file: SettingsFile,
  bytes: Buffer,
  mode = 0o600,
): Promise<readonly string[]> {
  const { path, target, content } = file;
  return await attempt(path, async () => {
    const made = await makeDirectories(dirname(target));
    await writeWhole(target, bytes, content?.mode ?? mode, async () => {
      const now = await stateOf(target);
      const isSame =
        content === undefined
          ? now === undefined
          : now !== undefined && content.bytes.equals(await readFile(target));
      if (!isSame)
        throw new CommandFailure(`${path} was changed by another program. Nothing was written: try again.`);
    });
    return made;
  });
}

/** Writes a copy beside the file, with its mode. @returns its path. */
export async function writeBackup({ path, target, content }: SettingsFile): Promise<string | undefined> {
  if (content === undefined) return undefined;
  const backup = backupPath(target);
  await attempt(path, () => writeWhole(backup, content.bytes, content.mode));
  return backup;
}

/** Where the copy of a file is. */
export function backupPath(target: string): string {
  return `${target}.obspan-backup`;
}

/** Removes a file, and the directories that were made for it as far as they are empty. */
export async function removeFile(target: string, made: readonly string[] = []): Promise<void> {
  await unlink(target).catch(() => undefined);
  for (const directory of made.toReversed()) await rmdir(directory).catch(() => undefined);
}

/** Identifies bytes. */
export function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A link of that name is replaced, not followed. */
async function writeWhole(
  path: string,
  bytes: Buffer,
  mode: number,
  check?: () => Promise<void>,
): Promise<void> {
  await writeBeside(
    path,
    async (file) => {
      await file.chmod(mode);
      await file.writeFile(bytes);
    },
    async (temporary) => {
      await check?.();
      await whenFree(() => rename(temporary, path));
    },
  );
}

async function makeDirectories(directory: string): Promise<string[]> {
  const first = await mkdir(directory, { recursive: true });
  if (first === undefined) return [];
  const made = [first];
  for (const name of relative(first, directory).split(sep))
    if (name !== "") made.push(`${made.at(-1)}${sep}${name}`);
  return made;
}

/** The path without symbolic links, also of a file that does not exist yet. */
async function resolvedPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT")
      throw new CommandFailure(`${path} cannot be read: ${errorMessage(error)}.`, { cause: error });
    if ((await lstatOf(path)) !== undefined)
      throw new CommandFailure(`${path} is a symbolic link to a file that does not exist.`);
    const parent = dirname(path);
    if (parent === path) return path;
    const name = path.slice(parent.length).replace(/^[/\\]/, "");
    return `${(await resolvedPath(parent)).replace(/[/\\]$/, "")}${sep}${name}`;
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function stateOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function lstatOf(path: string): Promise<Stats | undefined> {
  return await lstat(path).catch(() => undefined);
}

async function attempt<Result>(path: string, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${path} cannot be read or written: ${errorMessage(error)}.`, { cause: error });
  }
}
