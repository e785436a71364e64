import { isAscii, isUtf8 } from "node:buffer";
import { ApiError } from "../api-schema/errors.js";
import type { Clock } from "../runtime/clock.js";
import { createTurnIfDue, nextTurn } from "../runtime/loop-turn.js";
import { runInTurns, type Steps } from "../runtime/steps.js";

/**
 * Decodes a body. Invalid UTF-8 is an error and is not replaced by U+FFFD.
 *
 * @throws `ApiError` invalid_encoding.
 */
export function decodeUtf8(body: Buffer): string {
  if (isAscii(body)) return body.toString("latin1");
  requireUtf8(body);
  return body.toString("utf8");
}

/** Bytes decoded in one step: about 2 ms for text that is not ASCII. */
const STEP_BYTES = 512 * 1024;

/**
 * Decodes a body like {@link decodeUtf8}, in steps. `join` returns a flat string: concatenation returns a rope, and the
 * first read flattens it, which takes longer.
 *
 * @throws `ApiError` invalid_encoding.
 */
export function* decodeUtf8InSteps(body: Buffer): Steps<string> {
  // isAscii and isUtf8 take a millisecond for 20 MB.
  if (!isLargeBody(body) || isAscii(body)) return decodeUtf8(body);
  requireUtf8(body);
  const parts: string[] = [];
  for (let from = 0; from < body.byteLength;) {
    const to = characterStart(body, Math.min(from + STEP_BYTES, body.byteLength));
    parts.push(body.toString("utf8", from, to));
    from = to;
    yield;
  }
  return parts.join("");
}

/** Time that the decoding of a large body blocks the event loop. */
const SLICE_MS = 5;

/** True for a body that {@link decodeLargeBody} decodes. */
export function isLargeBody(body: Buffer): boolean {
  return body.byteLength > STEP_BYTES;
}

/**
 * Decodes a body like {@link decodeUtf8}, over several turns of the event loop.
 *
 * @throws `ApiError` invalid_encoding.
 */
export function decodeLargeBody(body: Buffer, clock: Pick<Clock, "monotonic">): Promise<string> {
  return runInTurns(decodeUtf8InSteps(body), createTurnIfDue({ clock, sliceMs: SLICE_MS, nextTurn }));
}

function requireUtf8(body: Buffer): void {
  if (!isUtf8(body)) throw new ApiError("invalid_encoding", "The body is not valid UTF-8.");
}

/** Returns the offset of the first byte of the character at an offset. */
function characterStart(body: Buffer, at: number): number {
  let start = at;
  while (((body[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
