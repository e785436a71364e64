/** The body of a request. */
export interface RequestBody {
  /** In bytes. */
  readonly length: number;
  readonly isGzip: boolean;
  /** The head and the body in one piece: one write is cheaper than two. Valid until the writer's next body. */
  after(head: string): Uint8Array;
}

/** Longest body that is not compressed, in characters. */
const GZIP_ABOVE = 1024;
/** Largest body that is compressed synchronously, in bytes: the thread pool would take twice as much CPU. */
const SYNC_GZIP_BYTES = 262_144;
/** Size of the pieces of compressed output: most batches fit into one. */
const CHUNK_BYTES = 32_768;
/**
 * Size of the reused memory. A text of a third of it fits whatever its characters are, so that its bytes need not be counted,
 * which would cost twice as much as writing them. The system provides only what is written to.
 */
const MEMORY_BYTES = 1_048_576;
/** Space before a body for the head of its request. */
const HEAD_BYTES = 2048;

/**
 * Writes JSON bodies into memory that it reuses: a body is valid until the next one. Allocating memory for each batch would
 * add a third to the cost of sending it, most of it garbage collection.
 */
export class BodyWriter {
  readonly #memory = Buffer.allocUnsafeSlow(HEAD_BYTES + MEMORY_BYTES);
  readonly #compresses: boolean;

  constructor(compresses: boolean) {
    this.#compresses = compresses;
  }

  /** Synchronous unless it compresses. */
  write(json: string): RequestBody | Promise<RequestBody> {
    const plain = this.#encode(json);
    if (!this.#compresses || json.length <= GZIP_ABOVE) return this.#body(plain, false);
    return gzip(plain).then((bytes) => this.#body(bytes, true));
  }

  #encode(json: string): Uint8Array {
    const fits = json.length * 3 <= MEMORY_BYTES || Buffer.byteLength(json) <= MEMORY_BYTES;
    if (!fits) return Buffer.from(json);
    return this.#memory.subarray(HEAD_BYTES, HEAD_BYTES + this.#memory.write(json, HEAD_BYTES));
  }

  #body(bytes: Uint8Array, isGzip: boolean): RequestBody {
    const memory = this.#memory;
    const { length } = bytes;
    return {
      length,
      isGzip,
      after(head) {
        const start = HEAD_BYTES - head.length;
        if (start < 0 || bytes.buffer !== memory.buffer)
          return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
        memory.write(head, start, "latin1");
        return memory.subarray(start, HEAD_BYTES + length);
      },
    };
  }
}

/** Uses the fastest level, to cost the app as little CPU as possible. */
async function gzip(plain: Uint8Array): Promise<Uint8Array> {
  const { constants, gzip: compress, gzipSync } = await import("node:zlib");
  const options = { level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES };
  if (plain.length <= SYNC_GZIP_BYTES) return gzipSync(plain, options);
  return new Promise((resolve, reject) => {
    compress(plain, options, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}
