import { existsSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { errorCode, errorMessage } from "../../runtime/describe-error.js";
import { CommandFailure } from "../command-failure.js";

/**
 * Writes a file that only its owner can read: it has prompts. An incomplete file is removed.
 *
 * @param isReplaced - whether `--force` is given; undefined for a command that does not have it.
 * @throws CommandFailure if the file exists, unless it may be replaced, and if it cannot be written.
 */
export async function writeFile(
  file: string,
  parts: AsyncIterable<string | Buffer>,
  isReplaced?: boolean,
): Promise<void> {
  if (isReplaced !== true && existsSync(file))
    throw new CommandFailure(`${file} exists${isReplaced === undefined ? "" : ": --force replaces it"}.`);
  const temporary = `${file}.partial`;
  try {
    // Opened before anything can fail, so that the file is there when it is removed.
    const handle = await open(temporary, "wx", 0o600);
    await pipeline(parts, handle.createWriteStream({ flush: true }));
    renameSync(temporary, file);
  } catch (error) {
    const isOther = errorCode(error) === "EEXIST";
    if (!isOther) rmSync(temporary, { force: true });
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(
      isOther
        ? `${temporary} exists: remove it if no other command writes it.`
        : `${file} was not written: ${errorMessage(error)}.`,
      { cause: error },
    );
  }
}
