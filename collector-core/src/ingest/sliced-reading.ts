import type { Socket } from "node:net";

/** Bytes that are parsed at once of a connection that may send costly bytes: 340 chunks of one byte, about a millisecond. */
const FIRST_SLICE_BYTES = 2048;
/** Bytes that Node reads at once. A connection of which so many were cheap to parse needs no slices. */
const WHOLE_BLOCK_BYTES = 64 * 1024;

/**
 * Takes the bytes of a connection from Node's parser and passes them on in slices. The parser otherwise reads up to 2 MiB
 * in one turn of the event loop by itself, and parses each block of 64 KiB without a pause.
 *
 * Holds at most one block: the connection is not read while a part of it remains.
 */
export class SlicedReading {
  readonly #push: (chunk: unknown) => boolean;
  #rest: Buffer = NOTHING;
  #sliceBytes = FIRST_SLICE_BYTES;

  /** @param onBlock - called when a block was read, whose slices {@link parseNext} parses. */
  constructor(socket: Socket, onBlock: () => void) {
    const push = socket.push.bind(socket);
    const read = socket._read.bind(socket);
    this.#push = push;
    socket.push = (block: unknown): boolean => {
      if (!Buffer.isBuffer(block) || this.#sliceBytes >= WHOLE_BLOCK_BYTES) return push(block);
      this.#rest = block;
      onBlock();
      return false;
    };
    socket._read = (size) => {
      if (!this.hasRest) read(size);
    };
    // Node's parser stops and starts the reading of a paused connection beside the stream, which does not know of it.
    socket.on("resume", () => socket._read(0));
    // Node's parser stops reading by itself when something else listens for the bytes, and then listens for them too.
    socket.on("data", () => undefined);
  }

  get hasRest(): boolean {
    return this.restBytes > 0;
  }

  /** Bytes that were read and are not parsed. */
  get restBytes(): number {
    return this.#rest.byteLength;
  }

  parseNext(): void {
    const slice = this.#rest.subarray(0, this.#sliceBytes);
    this.#rest = this.#rest.subarray(slice.byteLength);
    // Longer for each slice that is not followed by `wasCostly`.
    this.#sliceBytes *= 2;
    this.#push(slice);
  }

  /** The bytes are costly to parse: the next slices are short. */
  wasCostly(): void {
    this.#sliceBytes = FIRST_SLICE_BYTES;
  }

  /** Forgets the bytes of a closed connection. */
  clear(): void {
    this.#rest = NOTHING;
  }
}

const NOTHING = Buffer.alloc(0);
