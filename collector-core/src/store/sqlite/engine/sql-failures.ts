import type { ApiError } from "../../../api-schema/errors.js";
import { errorMessage } from "../../../runtime/describe-error.js";
import { CORRUPT_INDEX, SQL_CODES, SqlError } from "../driver/sqlite-driver.js";
import { storeUnavailable } from "../../store-unavailable.js";

/** True for an error that the content of the file caused. */
export function isDamage(error: unknown): error is SqlError {
  return error instanceof SqlError && (error.code === SQL_CODES.CORRUPT || error.code === SQL_CODES.NOTADB);
}

/** True if an index may not agree with its table. The WASM driver does not tell that from other damage. */
export function isIndexDamage(error: unknown): boolean {
  if (!(error instanceof SqlError) || error.code !== SQL_CODES.CORRUPT) return false;
  return error.extendedCode === undefined || error.extendedCode === CORRUPT_INDEX;
}

/** The file was removed or replaced while it was open: what is written to it would be lost when it is closed. */
export class FileMovedError extends SqlError {
  constructor(path: string) {
    super(SQL_CODES.IOERR, `${path} was removed or replaced`);
  }
}

/** True for the error of a full disk. */
export function isFull(error: unknown): boolean {
  return error instanceof SqlError && error.code === SQL_CODES.FULL;
}

/** What a client is told of an error of SQLite. */
export function unavailable(error: unknown): ApiError {
  return storeUnavailable(
    `The file of the trace store cannot be used: ${errorMessage(error)}. Try again later.`,
  );
}
