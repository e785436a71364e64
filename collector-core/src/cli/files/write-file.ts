import { existsSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { CommandFailure } from "../command-failure.js";

/**
 * Writes a file that only its owner can read: it has prompts. An incomplete file is removed.
 *
 * @throws CommandFailure if the file exists, unless it may be replaced, and if it cannot be written.
 */
export async function writeFile(
  file: string,
  parts: AsyncIterable<string | Buffer>,
  { isReplaced }: { readonly isReplaced: boolean },
): Promise<void> {
  if (!isReplaced && existsSync(file)) throw new CommandFailure(`${file} exists: --force replaces it.`);
  const temporary = `${file}.partial`;
  try {
    // Opened before anything can fail, so that the file is there when it is removed.
    const handle = await open(temporary, "wx", 0o600);
    await pipeline(parts, handle.createWriteStream());
    renameSync(temporary, file);
  } catch (error) {
    const isOther = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isOther) rmSync(temporary, { force: true });
    if (error instanceof CommandFailure) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(
      isOther
        ? `${temporary} exists: remove it if no other command writes it.`
        : `${file} was not written: ${reason}.`,
      { cause: error },
    );
  }
}
