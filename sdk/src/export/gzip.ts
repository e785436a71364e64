/** Compresses a body on another thread. The fastest level: telemetry should cost the app as little as it can. */
export async function gzip(text: string): Promise<Uint8Array> {
  const { constants, gzip: compress } = await import("node:zlib");
  return new Promise((resolve, reject) => {
    compress(text, { level: constants.Z_BEST_SPEED }, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}
