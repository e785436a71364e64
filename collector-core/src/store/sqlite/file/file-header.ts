import { errorCode } from "../../../runtime/describe-error.js";
import { readBeginning } from "./regular-file.js";
import { APPLICATION_ID } from "./schema.js";

/** What the first bytes of a file say. */
export type FileHeader =
  | { readonly type: "missing" }
  /** Created, and never written. */
  | { readonly type: "empty" }
  | { readonly type: "trace_file"; readonly version: number }
  /** A database of another program. */
  | { readonly type: "foreign" }
  | { readonly type: "corrupt" };

const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;
/** As SQLite writes them into each file: see "The Database Header" in its file format. */
const EXPECTED_BYTES: readonly (readonly [offset: number, values: readonly number[]])[] = [
  [16, [0x08, 0x10]], // The page size is 2048, or 4096 in a file that version 3 or an earlier one has made.
  [17, [0x00]],
  [18, [1, 2]], // Rollback journal or write-ahead log.
  [19, [1, 2]],
  [20, [0]],
  [21, [64]],
  [22, [32]],
  [23, [32]],
  [44, [0]], // The format of the schema.
  [45, [0]],
  [46, [0]],
  [47, [4]],
  [56, [0]], // UTF-8.
  [57, [0]],
  [58, [0]],
  [59, [1]],
];
const VERSION_OFFSET = 60;
const APPLICATION_ID_OFFSET = 68;

/**
 * Reads the header of a file without SQLite, which may write to a file when it opens it.
 *
 * @throws NotAFileError; the error of the file system.
 */
export function readFileHeader(path: string): FileHeader {
  let header: Buffer;
  try {
    header = readBeginning(path, { maxBytes: HEADER_BYTES, followsLinks: true });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { type: "missing" };
    throw error;
  }
  const { length } = header;
  if (length === 0) return { type: "empty" };
  if (length < HEADER_BYTES || header.toString("latin1", 0, MAGIC.length) !== MAGIC)
    return { type: "corrupt" };
  if (header.readUInt32BE(APPLICATION_ID_OFFSET) !== APPLICATION_ID) return { type: "foreign" };
  const isExpected = EXPECTED_BYTES.every(([offset, values]) => values.includes(header[offset] ?? -1));
  const version = header.readInt32BE(VERSION_OFFSET);
  return isExpected && version > 0 ? { type: "trace_file", version } : { type: "corrupt" };
}
