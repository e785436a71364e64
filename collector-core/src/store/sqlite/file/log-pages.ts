import { closeSync, openSync, readSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAMES_PER_READ = 256;

/**
 * The pages that a write-ahead log has. The format is at https://www.sqlite.org/fileformat2.html#walformat. Each call of
 * {@link read} adds those of the commits since the last one: the log must not begin again between them.
 */
export class LogPages {
  readonly #path: string;
  readonly #frameBytes: number;
  readonly #numbers = new Set<number>();
  /** The end of the last commit that was read. Frames after it may be written once more. */
  #end = HEADER_BYTES;

  constructor({ path, pageBytes }: { readonly path: string; readonly pageBytes: number }) {
    this.#path = `${path}-wal`;
    this.#frameBytes = FRAME_HEADER_BYTES + pageBytes;
  }

  get numbers(): ReadonlySet<number> {
    return this.#numbers;
  }

  /** Bytes of the log up to the last commit that was read. */
  get bytes(): number {
    return this.#end;
  }

  /** @returns the number of the log's checkpoint and two salts, which change when the log begins again. */
  read(): string {
    const descriptor = openSync(this.#path, "r");
    try {
      this.#readFrames(descriptor);
      const header = Buffer.alloc(HEADER_BYTES);
      return header.toString(
        "hex",
        12,
        Math.max(12, Math.min(24, readSync(descriptor, header, 0, HEADER_BYTES, 0))),
      );
    } finally {
      closeSync(descriptor);
    }
  }

  #readFrames(descriptor: number): void {
    const frames = Buffer.allocUnsafe(FRAMES_PER_READ * this.#frameBytes);
    let uncommitted = new Array<number>();
    for (let position = this.#end; ;) {
      const length = readSync(descriptor, frames, 0, frames.length, position);
      let at = 0;
      for (; at + this.#frameBytes <= length; at += this.#frameBytes) {
        uncommitted.push(frames.readUInt32BE(at));
        const isCommit = frames.readUInt32BE(at + 4) > 0;
        if (!isCommit) continue;
        for (const number of uncommitted) this.#numbers.add(number);
        uncommitted = [];
        this.#end = position + at + this.#frameBytes;
      }
      position += at;
      if (at < frames.length) return;
    }
  }
}
