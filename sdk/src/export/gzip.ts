/** Up to this many characters a body is compressed at once: handing it to another thread would cost twice as much CPU. */
const AT_ONCE_LENGTH = 262_144;
/** Output in pieces of this size: a whole batch mostly fits into one. */
const CHUNK_BYTES = 32_768;

/** Compresses a body. The fastest level: telemetry should cost the app as little as it can. */
export async function gzip(text: string): Promise<Uint8Array> {
  const { constants, gzip: compress, gzipSync } = await import("node:zlib");
  const options = { level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES };
  if (text.length <= AT_ONCE_LENGTH) return gzipSync(text, options);
  return new Promise((resolve, reject) => {
    compress(text, options, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}
