/** The body of a request. */
export interface RequestBody {
  /** In bytes. */
  readonly length: number;
  readonly isGzip: boolean;
  /** The whole request in one piece, which costs less than two do. Good until the writer's next body. */
  after(head: string): Uint8Array;
}

/** Bodies above this many characters are compressed, where they are at all. */
const GZIP_ABOVE = 1024;
/** Up to this many characters a body is compressed at once: handing it to another thread would cost twice as much CPU. */
const AT_ONCE_LENGTH = 262_144;
/** Compressed output in pieces of this size: a whole batch mostly fits into one. */
const CHUNK_BYTES = 32_768;
/** A batch of a hundred spans with some text each fits in. */
const MEMORY_BYTES = 262_144;
/** Kept free before a body for the head of its request. */
const HEAD_BYTES = 2048;

/**
 * Makes bodies of JSON, in memory that they share: one is good until the next is made. Fresh memory for each batch would
 * cost a third of sending it, for the garbage collector has it to clear away.
 */
export class BodyWriter {
  readonly #memory = Buffer.allocUnsafeSlow(HEAD_BYTES + MEMORY_BYTES);
  readonly #compresses: boolean;

  constructor(compresses: boolean) {
    this.#compresses = compresses;
  }

  /** Waits for nothing where it does not compress. */
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

/** At the fastest level: telemetry should cost the app as little as it can. */
async function gzip(plain: Uint8Array): Promise<Uint8Array> {
  const { constants, gzip: compress, gzipSync } = await import("node:zlib");
  const options = { level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES };
  if (plain.length <= AT_ONCE_LENGTH) return gzipSync(plain, options);
  return new Promise((resolve, reject) => {
    compress(plain, options, (error, result) => {
      if (error === null) resolve(result);
      else reject(error);
    });
  });
}

/**
 * True where a URL leads to the machine that the app runs on. There compressing saves no network, and costs both sides
 * more than all else of sending a batch (docs/decisions/0006).
 */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
