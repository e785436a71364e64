import * as zlib from "node:zlib";

/** The codecs of chunks, as numbered in the file. */
export const CHUNK_CODECS = { deflate: 1, zstd: 2 } as const;

/** The first Node.js that reads Zstandard. */
const NODE_WITH_ZSTD = "22.15";

/** Compressed bytes with what is needed to read them. */
export interface EncodedChunk {
  /** One of {@link CHUNK_CODECS}. */
  readonly codec: number;
  readonly checksum: number;
  readonly data: Uint8Array;
}

/** A chunk that cannot be read. */
export class ChunkError extends Error {
  override readonly name = "ChunkError";
}

/** Functions of Node 22.15. The types of Node 20 do not have them. */
interface Zstd {
  zstdCompressSync(bytes: Uint8Array, options: object): Buffer;
  zstdDecompressSync(bytes: Uint8Array, options: object): Buffer;
  readonly constants: { readonly ZSTD_c_compressionLevel: number };
}

const zstd = "zstdCompressSync" in zlib ? (zlib as unknown as Zstd) : undefined;
const zstdOptions = zstd && { params: { [zstd.constants.ZSTD_c_compressionLevel]: 1 } };

/** The codec of the chunks that this runtime writes. */
export const WRITTEN_CODEC = zstd === undefined ? CHUNK_CODECS.deflate : CHUNK_CODECS.zstd;

/**
 * Compresses a chunk: Zstandard where the runtime has it, else deflate without a header.
 *
 * The checksum covers the compressed bytes and the codec. They are a third of the raw bytes, a chunk is verified without
 * decompression, and a decompressor never sees damaged bytes.
 */
export function encodeChunk(raw: Buffer): EncodedChunk {
  const data =
    zstd === undefined ? zlib.deflateRawSync(raw, DEFLATE) : zstd.zstdCompressSync(raw, zstdOptions ?? {});
  return { codec: WRITTEN_CODEC, checksum: checksumOf(WRITTEN_CODEC, data), data };
}

const DEFLATE = { level: 1, chunkSize: 65_536 };
const INFLATE_CHUNK_BYTES = 65_536;

/** Largest chunk that can be read: V8 has no longer strings. */
export const MAX_CHUNK_BYTES = 2 ** 29;

/**
 * Decompresses a chunk. A megabyte that somebody else has compressed may hold gigabytes.
 *
 * @throws ChunkError if the checksum does not match, if this runtime cannot read the codec, or if the chunk is larger than
 *   `maxBytes`.
 */
export function decodeChunk(
  codec: number,
  checksum: number,
  data: Uint8Array,
  maxBytes = MAX_CHUNK_BYTES,
): Buffer {
  if (!isIntact(codec, checksum, data))
    throw new ChunkError("The checksum of a chunk does not match: its bytes are damaged.");
  const problem = unreadableCodec(codec);
  if (problem !== undefined) throw new ChunkError(`A chunk cannot be read: ${problem}.`);
  try {
    return codec === CHUNK_CODECS.zstd && zstd !== undefined
      ? zstd.zstdDecompressSync(data, { maxOutputLength: maxBytes })
      : zlib.inflateRawSync(data, { chunkSize: INFLATE_CHUNK_BYTES, maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw new ChunkError(`A chunk has more than ${maxBytes} bytes.`);
    throw new ChunkError("A chunk cannot be decompressed.", { cause: error });
  }
}

/** True if the checksum matches. */
export function isIntact(codec: number, checksum: number, data: Uint8Array): boolean {
  return checksumOf(codec, data) === checksum;
}

/** Why this runtime cannot read a codec; undefined if it can. */
export function unreadableCodec(codec: number): string | undefined {
  if (codec === CHUNK_CODECS.deflate || (codec === CHUNK_CODECS.zstd && zstd !== undefined)) return undefined;
  const runtime = `Node.js ${process.versions.node}`;
  return codec === CHUNK_CODECS.zstd
    ? `it is compressed with Zstandard, which ${runtime} cannot read; Node.js ${NODE_WITH_ZSTD} or later can`
    : `it uses codec ${codec}, which this version of Obspan does not know`;
}

function checksumOf(codec: number, data: Uint8Array): number {
  // A number in the file may be any.
  return zlib.crc32(data, codec >>> 0);
}
