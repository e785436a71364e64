import { crc32 } from "node:zlib";

const SEAL = "#";
const SEAL_RADIX = 36;
/** Bytes that {@link sealBytes} adds. */
const SEAL_BYTES = 4;

/** Stored bytes or a stored text that is not what was written. */
export class DamageError extends Error {
  override readonly name = "DamageError";
}

/**
 * Adds a checksum to a JSON text.
 *
 * @param context - what the text belongs to: it is read back only with the same.
 */
export function sealJson(json: string, context: string): string {
  return json + SEAL + checksumOf(json, context);
}

/**
 * Parses a text of {@link sealJson}. A text of version 1 has no checksum.
 *
 * @throws DamageError if the text is not what was written.
 */
export function parseSealed(text: string, context: string): unknown {
  try {
    if (text.endsWith("]") || text.endsWith("}")) return JSON.parse(text) as unknown;
    const end = text.lastIndexOf(SEAL);
    // eslint-disable-next-line obspan/no-uncopied-part -- parsed at once
    const json = text.slice(0, Math.max(0, end));
    if (text.endsWith(SEAL + checksumOf(json, context))) return JSON.parse(json) as unknown;
  } catch (error) {
    throw new DamageError("A stored text is damaged.", { cause: error });
  }
  throw new DamageError("The checksum of a stored text does not match.");
}

function checksumOf(json: string, context: string): string {
  return crc32(json, crc32(context)).toString(SEAL_RADIX);
}

/** Writes the checksum of the bytes before `at`. @returns the end. */
export function sealBytes(bytes: Buffer, at: number): number {
  return bytes.writeUInt32LE(crc32(bytes.subarray(0, at)), at);
}

/** Returns the bytes without their checksum. @throws DamageError if it does not match. */
export function unsealBytes(bytes: Buffer): Buffer {
  const end = bytes.length - SEAL_BYTES;
  if (end < 0 || bytes.readUInt32LE(end) !== crc32(bytes.subarray(0, end)))
    throw new DamageError("The checksum of stored bytes does not match.");
  return bytes.subarray(0, end);
}
