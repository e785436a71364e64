/** A chunk of at least so many bytes is kept as it is: a copy would cost more than its buffer. */
const WORTH_KEEPING = 4096;
/** The largest slab, so that little of the last one is left empty. */
const MAX_SLAB = 16 * 1024;

/**
 * Gathers the chunks of a body. Each chunk that the HTTP parser hands on is a buffer of its own, which takes some 200
 * bytes beside its content, and a sender may make chunks of one byte. Short chunks are therefore copied into slabs: the
 * number of buffers is bounded by the bytes, whatever the chunks are.
 */
export class GatheredBytes {
  #buffers: Buffer[] = [];
  #byteLength = 0;
  /** What is left to fill of the newest slab. */
  #slab: Buffer = NOTHING;
  /** Bytes at the beginning of the slab that are not in the list of buffers yet. */
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
    // The first chunk is most often the only one, and is handed on as it came.
    if (length >= WORTH_KEEPING || this.#byteLength === 0) {
      this.#seal();
      this.#buffers.push(chunk);
    } else this.#copy(chunk);
    this.#byteLength += length;
  }

  /** All bytes in one buffer. Nothing is held afterwards. */
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

  /** Ends the run of short chunks. What is left of the slab takes the next run. */
  #seal(): void {
    if (this.#filled === 0) return;
    this.#buffers.push(this.#slab.subarray(0, this.#filled));
    this.#slab = this.#slab.subarray(this.#filled);
    this.#filled = 0;
  }
}

const NOTHING = Buffer.alloc(0);
