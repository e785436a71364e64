import { randomBytes } from "node:crypto";
import type { Span } from "@obspan/sdk/wire";
import { isUsableSpanId } from "../span/span-facts.js";

/** Generates a span id: 16 hex digits (W3C Trace Context). */
export type GenerateSpanId = () => string;

/** Draws random bytes once for 65,536 ids, because a call for each id is slow. */
export function createSpanIdGenerator(): GenerateSpanId {
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
 * Generates ids for spans without a usable one, by index. Returns undefined if all spans have one. Called before the
 * batch is queued, so that a batch that is processed twice keeps its ids (contract 1).
 */
export function generateMissingSpanIds(
  spans: readonly Span[],
  generateSpanId: GenerateSpanId,
): (string | undefined)[] | undefined {
  let generated: (string | undefined)[] | undefined;
  for (const [index, span] of spans.entries()) {
    const id: unknown = span.span_id;
    if (isUsableSpanId(id)) continue;
    generated ??= new Array<string | undefined>(spans.length).fill(undefined);
    generated[index] = generateSpanId();
  }
  return generated;
}
