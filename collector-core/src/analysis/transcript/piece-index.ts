import { eachInSteps, type Steps } from "../in-steps.js";
import type { MessageUnit } from "./message-units.js";

/** Finds out whether a piece is among others, without looking at each of them. */
export class PieceIndex {
  readonly #keys = new Set<string>();
  /** For the pieces of each call, whether one of them has only a preview of a long text. */
  readonly #calls = new Map<string, boolean>();

  add({ key, callKey, isCut }: MessageUnit): void {
    this.#keys.add(key);
    if (callKey !== undefined) this.#calls.set(callKey, isCut || this.#calls.get(callKey) === true);
  }

  /** Whether a piece that is {@link isSamePiece} was added. */
  has({ key, callKey, isCut }: MessageUnit): boolean {
    if (this.#keys.has(key)) return true;
    const hasPreview = callKey === undefined ? undefined : this.#calls.get(callKey);
    return hasPreview === true || (hasPreview === false && isCut);
  }
}

/** The index of some pieces, with pauses. */
export function* pieceIndexOf(pieces: Iterable<MessageUnit>): Steps<PieceIndex> {
  const index = new PieceIndex();
  yield* eachInSteps(pieces, (piece) => index.add(piece));
  return index;
}

/** Pieces with previews of long texts are compared by the id of their call. */
export function isSamePiece(a: MessageUnit, b: MessageUnit): boolean {
  return a.key === b.key || (a.callKey !== undefined && a.callKey === b.callKey && (a.isCut || b.isCut));
}
