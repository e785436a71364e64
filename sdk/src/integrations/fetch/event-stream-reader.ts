import { field, parseJsonOrText, textOf } from "../json-fields.js";

/** Two lengths and their checksum. */
const PRELUDE_BYTES = 12;
/** The checksum at the end of a message. */
const CHECKSUM_BYTES = 4;
/** Largest message that AWS sends. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Lengths of the values of headers by their type; strings and byte arrays begin with theirs. */
const VALUE_BYTES: readonly (number | "prefixed")[] = [0, 0, 1, 2, 4, 8, "prefixed", "prefixed", 8, 16];

/**
 * Reads the messages of `application/vnd.amazon.eventstream` from bytes that arrive in any pieces. Each is passed on as the
 * clients of AWS show it: `{ contentBlockDelta: {…} }`, and the JSON inside a `chunk`.
 */
export class EventStreamReader {
  readonly #onEvent: (event: unknown) => void;
  /** The bytes that wait for the end of their message, in the pieces in which they arrived. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The length of what has to wait before it can be read. */
  #neededBytes = PRELUDE_BYTES;
  #isBroken = false;

  constructor(onEvent: (event: unknown) => void) {
    this.#onEvent = onEvent;
  }

  read(bytes: Uint8Array): void {
    if (this.#isBroken) return;
    // A copy: a byte stream transfers the memory of its chunks to the reader.
    this.#waiting.push(bytes.slice());
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes < this.#neededBytes) return;
    const all = Buffer.concat(this.#waiting);
    this.#neededBytes = PRELUDE_BYTES;
    let at = 0;
    for (;;) {
      if (all.length - at < PRELUDE_BYTES) break;
      const length = viewOf(all, at).getUint32(0);
      if (length < PRELUDE_BYTES + CHECKSUM_BYTES || length > MAX_MESSAGE_BYTES) {
        this.#isBroken = true;
        break;
      }
      if (all.length - at < length) {
        this.#neededBytes = length;
        break;
      }
      this.#readMessage(all.subarray(at, at + length));
      at += length;
    }
    this.#waiting = this.#isBroken ? [] : [all.subarray(at)];
    this.#waitingBytes = this.#isBroken ? 0 : all.length - at;
  }

  /** A message without its end is left out. */
  finish(): void {
    this.#waiting = [];
  }

  #readMessage(message: Uint8Array): void {
    const headerBytes = viewOf(message, 0).getUint32(4);
    const bodyAt = PRELUDE_BYTES + headerBytes;
    if (bodyAt > message.length - CHECKSUM_BYTES) return;
    const headers = readHeaders(message.subarray(PRELUDE_BYTES, bodyAt));
    const payload = parseJsonOrText(
      new TextDecoder().decode(message.subarray(bodyAt, message.length - CHECKSUM_BYTES)),
    );
    const type = headers.get(":event-type") ?? headers.get(":exception-type") ?? "unknown";
    const bytes = textOf(field(payload, "bytes"));
    if (type === "chunk" && bytes !== undefined)
      this.#onEvent(parseJsonOrText(Buffer.from(bytes, "base64").toString("utf8")));
    else this.#onEvent({ [type]: payload });
  }
}

function readHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>();
  const decoder = new TextDecoder();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const name = decoder.decode(bytes.subarray(at + 1, nameEnd));
    const size = VALUE_BYTES[bytes[nameEnd] ?? -1];
    let valueAt = nameEnd + 1;
    let length = size === "prefixed" ? 0 : size;
    if (size === "prefixed") {
      if (valueAt + 2 > bytes.length) break;
      length = viewOf(bytes, valueAt).getUint16(0);
      valueAt += 2;
    }
    if (length === undefined) break;
    headers.set(name, decoder.decode(bytes.subarray(valueAt, valueAt + length)));
    at = valueAt + length;
  }
  return headers;
}

function viewOf(bytes: Uint8Array, at: number): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset + at, bytes.length - at);
}
