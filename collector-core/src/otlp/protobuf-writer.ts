import { constants } from "node:buffer";

const FIRST_BYTES = 16 * 1024;

/** A nested message that is being written. */
export type OpenMessage = number;

/** Writes the wire format of protobuf into one growing buffer. */
export class ProtobufWriter {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  /** Position of the next byte. */
  get length(): number {
    return this.#length;
  }

  /** Discards the bytes from a position on. */
  truncate(length: number): void {
    this.#length = length;
  }

  /** Starts a nested message; {@link close} ends it. */
  open(field: number): OpenMessage {
    this.#reserve(MAX_TAG_BYTES + 1);
    this.#varint(field * 8 + LENGTH_DELIMITED);
    // Reserves one byte for the length, since most messages are short; `close` makes room for more.
    return ++this.#length;
  }

  close(start: OpenMessage): void {
    const bytes = this.#length - start;
    const more = varintBytes(bytes) - 1;
    if (more > 0) {
      this.#reserve(more);
      this.#buffer.copyWithin(start + more, start, this.#length);
    }
    this.#length = start - 1;
    this.#varint(bytes);
    this.#length += bytes;
  }

  text(field: number, value: string): void {
    const bytes = Buffer.byteLength(value);
    this.#lengthDelimited(field, bytes);
    this.#length += this.#buffer.write(value, this.#length, bytes, "utf8");
  }

  bytes(field: number, value: Uint8Array): void {
    this.#lengthDelimited(field, value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  /** An integer from 0 to 2^53 as a varint of any type. */
  number(field: number, value: number): void {
    this.#reserve(MAX_TAG_BYTES + MAX_VARINT_BYTES);
    this.#varint(field * 8);
    this.#varint(value);
  }

  /** A signed 64-bit integer. */
  int64(field: number, value: number): void {
    if (value >= 0) {
      this.number(field, value);
      return;
    }
    this.#reserve(MAX_TAG_BYTES + MAX_VARINT_BYTES);
    this.#varint(field * 8);
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) this.#buffer[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#buffer[this.#length++] = Number(rest);
  }

  fixed64(field: number, value: bigint): void {
    this.#reserve(MAX_TAG_BYTES + 8);
    this.#varint(field * 8 + FIXED_64);
    this.#length = this.#buffer.writeBigUInt64LE(value, this.#length);
  }

  double(field: number, value: number): void {
    this.#reserve(MAX_TAG_BYTES + 8);
    this.#varint(field * 8 + FIXED_64);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  /** A copy of the bytes without spare capacity. */
  take(): Uint8Array {
    const all = Buffer.allocUnsafeSlow(this.#length);
    this.#buffer.copy(all, 0, 0, this.#length);
    return all;
  }

  #lengthDelimited(field: number, bytes: number): void {
    this.#reserve(MAX_TAG_BYTES + MAX_VARINT_BYTES + bytes);
    this.#varint(field * 8 + LENGTH_DELIMITED);
    this.#varint(bytes);
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#buffer[this.#length++] = (rest % 128) | 0x80;
    this.#buffer[this.#length++] = rest;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const size = Math.min(Math.max(needed, this.#buffer.length * 2), constants.MAX_LENGTH);
    const larger = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

const LENGTH_DELIMITED = 2;
const FIXED_64 = 1;
/** Enough for field numbers below 2,048. */
const MAX_TAG_BYTES = 2;
const MAX_VARINT_BYTES = 10;

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}
