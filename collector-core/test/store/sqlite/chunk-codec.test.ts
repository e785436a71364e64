import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CHUNK_CODECS,
  ChunkError,
  decodeChunk,
  encodeChunk,
  isIntact,
  unreadableCodec,
} from "../../../src/store/sqlite/records/chunk-codec.js";

const hasZstd = "zstdCompressSync" in zlib;

describe("the chunk codec", () => {
  it("returns what it was given", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
        const { codec, checksum, data } = encodeChunk(Buffer.from(bytes));
        expect(decodeChunk(codec, checksum, data)).toEqual(Buffer.from(bytes));
      }),
    );
    const large = Buffer.from('{"name":"span","attributes":{}}'.repeat(100_000));
    const { codec, checksum, data } = encodeChunk(large);
    expect(data.length).toBeLessThan(large.length / 20);
    expect(decodeChunk(codec, checksum, data).equals(large)).toBe(true);
  });

  it("refuses a chunk that is larger than its limit when it is decompressed", () => {
    const { codec, checksum, data } = encodeChunk(Buffer.alloc(2 ** 20));
    expect(decodeChunk(codec, checksum, data, 2 ** 20)).toHaveLength(2 ** 20);
    expect(() => decodeChunk(codec, checksum, data, 2 ** 20 - 1)).toThrow(
      new ChunkError("A chunk has more than 1048575 bytes."),
    );
  });

  it("uses Zstandard where the runtime has it, else deflate", () => {
    expect(encodeChunk(Buffer.from("x")).codec).toBe(hasZstd ? CHUNK_CODECS.zstd : CHUNK_CODECS.deflate);
  });

  it("reads deflate in every runtime", () => {
    const data = zlib.deflateRawSync("text");
    expect(decodeChunk(CHUNK_CODECS.deflate, zlib.crc32(data, CHUNK_CODECS.deflate), data).toString()).toBe(
      "text",
    );
  });

  it("refuses any damaged byte, a damaged checksum and a damaged codec", () => {
    const { codec, checksum, data } = encodeChunk(Buffer.from("some text ".repeat(20)));
    for (let index = 0; index < data.length; index++) {
      const damaged = Uint8Array.from(data);
      damaged[index] = (damaged[index] ?? 0) ^ 1;
      expect(isIntact(codec, checksum, damaged)).toBe(false);
      expect(() => decodeChunk(codec, checksum, damaged)).toThrow(ChunkError);
    }
    expect(() => decodeChunk(codec, checksum ^ 1, data)).toThrow(ChunkError);
    for (const other of [0, 1, 2, 3].filter((each) => each !== codec))
      expect(() => decodeChunk(other, checksum, data)).toThrow(ChunkError);
  });

  it("refuses bytes that are intact and not compressed", () => {
    const data = Buffer.from("not compressed");
    expect(() => decodeChunk(CHUNK_CODECS.deflate, zlib.crc32(data, CHUNK_CODECS.deflate), data)).toThrow(
      ChunkError,
    );
  });

  it("names the version that reads a codec which this runtime cannot", () => {
    expect(unreadableCodec(CHUNK_CODECS.deflate)).toBeUndefined();
    expect(unreadableCodec(9)).toContain("codec 9");
    if (hasZstd) expect(unreadableCodec(CHUNK_CODECS.zstd)).toBeUndefined();
    else expect(unreadableCodec(CHUNK_CODECS.zstd)).toMatch(/Zstandard.*Node\.js 22\.15 or later/);
  });
});
