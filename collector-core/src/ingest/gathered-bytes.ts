/** Chunks of at least this size are kept without a copy, which would cost more than their buffer. */
const WORTH_KEEPING = 4096;
/** Maximum slab size; limits the unused part of the last slab. */
const MAX_SLAB = 16 * 1024;

/**
 * Gathers the chunks of a body. Each chunk of the HTTP parser is a buffer with an overhead of about 200 bytes, and a
 * sender may send chunks of one byte. Short chunks are copied into slabs, so that the number of buffers depends on the
 * bytes and not on the chunks.
 */
export class GatheredBytes {
  #buffers: Buffer[] = [];
  #byteLength = 0;
  /** The part of the newest slab after the last sealed run. */
  #slab: Buffer = NOTHING;
  /** Bytes at the start of the slab that are not in the list of buffers yet. */
  #filled = 0;

  get byteLength(): number {
    return this.#byteLength;
  }

  /** The number of buffers that are held. */
  get bufferCount(): number {
    return this.#buffers.length + (this.#filled > 0 ? 1 : 0);
  }

  /** Keeps the chunk, or a copy of it. */
  add(chunk: Buffer): void {
    const { length } = chunk;
    if (length === 0) return;
    // The first chunk is usually the only one; it is not copied.
    if (length >= WORTH_KEEPING || this.#byteLength === 0) {
      this.#seal();
      this.#buffers.push(chunk);
    } else this.#copy(chunk);
    this.#byteLength += length;
  }

  /** Returns all bytes in one buffer and clears this object. */
  take(): Buffer {
    this.#seal();
    const buffers = this.#buffers;
    const [first] = buffers;
    const all = buffers.length === 1 && first !== undefined ? first : Buffer.concat(buffers);
    this.clear();
    return all;
  }

  clear(): void {
    this.#buffers = [];
    this.#byteLength = 0;
    this.#slab = NOTHING;
    this.#filled = 0;
  }

  #copy(chunk: Buffer): void {
    let from = 0;
    while (from < chunk.length) {
      if (this.#filled === this.#slab.length) {
        this.#seal();
        const size = Math.min(MAX_SLAB, Math.max(WORTH_KEEPING, this.#byteLength));
        this.#slab = Buffer.allocUnsafeSlow(size);
      }
      const copied = chunk.copy(this.#slab, this.#filled, from);
      this.#filled += copied;
      from += copied;
    }
  }

  /** Ends the run of short chunks. The rest of the slab takes the next run. */
  #seal(): void {
    if (this.#filled === 0) return;
    this.#buffers.push(this.#slab.subarray(0, this.#filled));
    this.#slab = this.#slab.subarray(this.#filled);
    this.#filled = 0;
  }
}

const NOTHING = Buffer.alloc(0);
