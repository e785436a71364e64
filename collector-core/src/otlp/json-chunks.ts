import type { Steps } from "../runtime/steps.js";
import { jsonText } from "./json-pieces.js";

/** A chunk that has as many characters is full. */
const FULL = 64 * 1024;

/** Gathers values as JSON texts of objects, or of lists, of some ten thousand characters each, or else of one value. */
export class JsonChunks {
  readonly #chunks: string[] = [];
  #pieces: string[] = [];
  #length = 0;

  constructor(private readonly kind: "object" | "list") {}

  get isEmpty(): boolean {
    return this.#chunks.length === 0 && this.#pieces.length === 0;
  }

  /** @param key - of the value, in an object. */
  *add(value: unknown, key = ""): Steps<void> {
    const text = yield* jsonText(value);
    const piece = this.kind === "object" ? `${JSON.stringify(key)}:${text}` : text;
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length < FULL) return;
    this.#endChunk();
    yield;
  }

  /** All texts. Nothing is held afterwards. */
  take(): string[] {
    if (this.#pieces.length > 0) this.#endChunk();
    return this.#chunks.splice(0);
  }

  #endChunk(): void {
    const inner = this.#pieces.join(",");
    this.#chunks.push(this.kind === "object" ? `{${inner}}` : `[${inner}]`);
    this.#pieces = [];
    this.#length = 0;
  }
}
