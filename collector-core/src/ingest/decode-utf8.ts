import { isAscii, isUtf8 } from "node:buffer";
import { ApiError } from "../api-schema/errors.js";
import type { Steps } from "../runtime/steps.js";

/**
 * The text of a body, which must be valid UTF-8: nothing is replaced by U+FFFD in silence.
 *
 * @throws `ApiError` invalid_encoding.
 */
export function decodeUtf8(body: Buffer): string {
  if (isAscii(body)) return body.toString("latin1");
  requireUtf8(body);
  return body.toString("utf8");
}

/** Bytes that are decoded in one step. Of text that is not ASCII they take some 2 ms. */
const STEP_BYTES = 512 * 1024;

/**
 * The same, in steps. The parts are joined into one flat text: a rope of them would be flattened by whoever reads it
 * first, which takes longer.
 *
 * @throws `ApiError` invalid_encoding.
 */
export function* decodeUtf8InSteps(body: Buffer): Steps<string> {
  // Both of these take a millisecond for 20 MB.
  if (body.byteLength <= STEP_BYTES || isAscii(body)) return decodeUtf8(body);
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

function requireUtf8(body: Buffer): void {
  if (!isUtf8(body)) throw new ApiError("invalid_encoding", "The body is not valid UTF-8.");
}

/** Where the character begins that a byte is a part of. */
function characterStart(body: Buffer, at: number): number {
  let start = at;
  while (((body[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
