import type { Steps } from "../runtime/steps.js";
import { jsonInSteps } from "../span/json-in-steps.js";

/** Characters of a full chunk. */
const CHUNK_LENGTH = 64 * 1024;

/** Collects values as JSON texts of objects or lists, each of about 64 Ki characters or of one longer value. */
export class JsonChunks {
  readonly #chunks: string[] = [];
  #pieces: string[] = [];
  #length = 0;

  readonly #kind: "object" | "list";

  constructor(kind: "object" | "list") {
    this.#kind = kind;
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0 && this.#pieces.length === 0;
  }

  /** @param key - key of the value in an object. */
  *add(value: unknown, key = ""): Steps<void> {
    const text = yield* jsonInSteps(value);
    const piece = this.#kind === "object" ? `${JSON.stringify(key)}:${text}` : text;
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length < CHUNK_LENGTH) return;
    this.#endChunk();
    yield;
  }

  /** Returns all texts and clears them. */
  take(): string[] {
    if (this.#pieces.length > 0) this.#endChunk();
    return this.#chunks.splice(0);
  }

  #endChunk(): void {
    const inner = this.#pieces.join(",");
    this.#chunks.push(this.#kind === "object" ? `{${inner}}` : `[${inner}]`);
    this.#pieces = [];
    this.#length = 0;
  }
}
