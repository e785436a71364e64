import { DamagedStepError } from "./damaged-step.js";

const INITIAL_BYTES = 4096;
/** Longest varint: eight groups of 7 bits hold a safe integer. */
const VARINT_BYTES = 8;
const UINT31 = 2 ** 31;

/** Writes numbers and texts to a growing buffer. */
export class ByteWriter {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Writes a safe integer from 0 on, 7 bits to a byte. */
  varint(value: number): void {
    if (this.#length + VARINT_BYTES > this.#bytes.length) this.#grow(VARINT_BYTES);
    const bytes = this.#bytes;
    let rest = value;
    for (; rest >= UINT31; rest = Math.floor(rest / 128)) bytes[this.#length++] = (rest % 128) | 128;
    for (; rest >= 128; rest >>>= 7) bytes[this.#length++] = (rest & 127) | 128;
    bytes[this.#length++] = rest;
  }

  uint32(value: number): void {
    if (this.#length + 4 > this.#bytes.length) this.#grow(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  float32(value: number): void {
    if (this.#length + 4 > this.#bytes.length) this.#grow(4);
    this.#view.setFloat32(this.#length, value, true);
    this.#length += 4;
  }

  float64(value: number): void {
    if (this.#length + 8 > this.#bytes.length) this.#grow(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  bytes(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Writes a text as UTF-8, after its length. */
  text(text: string): void {
    const bytes = Buffer.from(text, "utf8");
    this.varint(bytes.length);
    this.bytes(bytes);
  }

  /** Returns a copy of the written bytes. */
  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #grow(by: number): void {
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + by));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** Reads what a {@link ByteWriter} wrote. Throws a {@link DamagedStepError} when the bytes end early. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** Number of bytes that are left. */
  get left(): number {
    return this.#end - this.#at;
  }

  varint(): number {
    const first = this.#byte();
    if (first < 128) return first;
    let value = first & 127;
    let scale = 128;
    for (let length = 2; length <= VARINT_BYTES; length++) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw new DamagedStepError(`a number before byte ${this.#at} is too large`);
  }

  uint32(): number {
    return this.#load(4).getUint32(0, true);
  }

  float32(): number {
    return this.#load(4).getFloat32(0, true);
  }

  float64(): number {
    return this.#load(8).getFloat64(0, true);
  }

  /** Returns a view of the next `length` bytes. */
  bytes(length: number): Uint8Array {
    if (length > this.left) throw endsEarly(this.#end);
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  text(maxBytes: number): string {
    const length = this.varint();
    if (length > maxBytes)
      throw new DamagedStepError(`a text has ${length} bytes, at most ${maxBytes} are allowed`);
    return Buffer.from(this.bytes(length)).toString("utf8");
  }

  #byte(): number {
    if (this.#at >= this.#end) throw endsEarly(this.#end);
    return this.#bytes[this.#at++] ?? 0;
  }

  /** Copies the next bytes to {@link scratch}: a view of each number would be an allocation. */
  #load(length: number): DataView {
    if (length > this.left) throw endsEarly(this.#end);
    for (let index = 0; index < length; index++) scratchBytes[index] = this.#bytes[this.#at++] ?? 0;
    return scratch;
  }
}

const scratch = new DataView(new ArrayBuffer(8));
const scratchBytes = new Uint8Array(scratch.buffer);

function endsEarly(end: number): DamagedStepError {
  return new DamagedStepError(`it ends early, at byte ${end}`);
}
