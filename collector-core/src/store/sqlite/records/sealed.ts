import { crc32 } from "node:zlib";
import type { Shape } from "../../traces/stored-shape.js";

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
 * @throws DamageError if the text is not what was written, or has another shape.
 */
export function parseSealed(text: string, context: string, hasShape: Shape): unknown {
  const value = parseIntact(text, context);
  if (hasShape(value)) return value;
  throw new DamageError("A stored text has another content than it should have.");
}

function parseIntact(text: string, context: string): unknown {
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

/**
 * The checksum of records of the open chunk.
 *
 * @param spans - of the chunk up to their end.
 */
export function checksumOfRecords(records: Uint8Array, spans: number): number {
  // A number in the file may be any.
  return crc32(records, spans >>> 0);
}

/** Numbers of a row in their order. */
const numbers = new Float64Array(16);
const numberBytes = Buffer.from(numbers.buffer);

/** The checksum of up to 16 numbers of a row. */
export function checksumOfNumbers(values: readonly (number | null)[]): number {
  // SQLite has no negative zero.
  for (const [index, value] of values.entries()) numbers[index] = value === null ? Number.NaN : value + 0;
  return crc32(numberBytes.subarray(0, values.length * Float64Array.BYTES_PER_ELEMENT));
}

/**
 * The checksum of a row.
 *
 * @param values - its numbers, up to 16.
 * @param bytes - its text, or its bytes.
 */
export function checksumOfRow(values: readonly (number | null)[], bytes: string | Uint8Array = ""): number {
  return crc32(bytes, checksumOfNumbers(values));
}
