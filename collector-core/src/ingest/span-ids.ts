import { randomBytes } from "node:crypto";
import type { Span } from "@obspan/sdk/wire";
import { isUsableSpanId } from "../span/span-facts.js";

/** Makes a span id: 16 hex digits, as W3C Trace Context has them. */
export type MakeSpanId = () => string;

/** Ids with a random part that is drawn once for every 65,536 of them: random bytes are dear one by one. */
export function createSpanIdMaker(): MakeSpanId {
  let prefix = "";
  let next = 0x10000;
  return () => {
    if (next === 0x10000) {
      prefix = randomBytes(6).toString("hex");
      next = 0;
    }
    return prefix + (next++).toString(16).padStart(4, "0");
  };
}

/**
 * Ids for the spans that came without a usable one, by index; undefined where all have their own. They are given
 * before the batch is queued, so that a batch that is processed twice keeps them (contract 1).
 */
export function makeMissingSpanIds(
  spans: readonly Span[],
  makeSpanId: MakeSpanId,
): (string | undefined)[] | undefined {
  let made: (string | undefined)[] | undefined;
  for (const [index, span] of spans.entries()) {
    const id: unknown = span.span_id;
    if (isUsableSpanId(id)) continue;
    made ??= new Array<string | undefined>(spans.length).fill(undefined);
    made[index] = makeSpanId();
  }
  return made;
}
