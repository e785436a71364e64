import type { Steps } from "../runtime/steps.js";

/** Values, and characters in texts, that are written without a pause. */
const WRITTEN_AT_ONCE = 20_000;

/** A value as a JSON text, in steps where it is large. */
export function* jsonText(value: unknown): Steps<string> {
  if (typeof value !== "object" || value === null || isSmall(value)) return textOf(value);
  const pieces: string[] = [];
  yield* addPieces(value, pieces);
  return pieces.join("");
}

/** Adds the JSON text of a large object or list, each small value of it as one piece. */
function* addPieces(value: object, pieces: string[]): Steps<void> {
  const isList = Array.isArray(value);
  let before = isList ? "[" : "{";
  let sinceLastPause = 0;
  const entries = isList ? value : Object.keys(value);
  for (const entry of entries as readonly unknown[]) {
    const item = isList ? entry : (value as Readonly<Record<string, unknown>>)[entry as string];
    const start = isList ? before : `${before}${JSON.stringify(entry)}:`;
    before = ",";
    if (typeof item !== "object" || item === null || isSmall(item)) {
      const piece = start + textOf(item);
      pieces.push(piece);
      sinceLastPause += PIECE_COST + piece.length;
    } else {
      pieces.push(start);
      yield* addPieces(item, pieces);
    }
    if (sinceLastPause < WRITTEN_AT_ONCE) continue;
    sinceLastPause = 0;
    yield;
  }
  pieces.push(isList ? "]" : "}");
}

function textOf(value: unknown): string {
  return value === undefined ? "null" : JSON.stringify(value);
}

/** What a piece costs besides its characters. */
const PIECE_COST = 20;

/** True where a value has so few values and characters that it is written at once. */
function isSmall(value: object): boolean {
  return leftAfter(value, WRITTEN_AT_ONCE, MAX_LEVELS) > 0;
}

/** Deeper than any span may be nested. What is deeper is left to `JSON.stringify`, which says so. */
const MAX_LEVELS = 64;

function leftAfter(value: unknown, left: number, levels: number): number {
  if (typeof value === "string") return left - 1 - value.length;
  if (typeof value !== "object" || value === null || levels === 0) return left - 1;
  let rest = left - 1;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      rest = leftAfter(item, rest, levels - 1);
      if (rest <= 0) return rest;
    }
    return rest;
  }
  for (const key in value) {
    rest = leftAfter((value as Readonly<Record<string, unknown>>)[key], rest - key.length, levels - 1);
    if (rest <= 0) return rest;
  }
  return rest;
}
