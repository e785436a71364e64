import type { Steps } from "../runtime/steps.js";
import { isLongerThan } from "../span/value-length.js";

/** Values and characters per step. */
const STEP_COST = 20_000;

/** Writes a value as JSON, a large one in several steps. */
export function* jsonText(value: unknown): Steps<string> {
  if (typeof value !== "object" || value === null || isSmall(value)) return textOf(value);
  const pieces: string[] = [];
  yield* addPieces(value, pieces);
  return pieces.join("");
}

/** Adds the JSON of a large object or list, with one piece per small value. */
function* addPieces(value: object, pieces: string[]): Steps<void> {
  const isList = Array.isArray(value);
  let before = isList ? "[" : "{";
  let costOfStep = 0;
  const entries = isList ? value : Object.keys(value);
  for (const entry of entries as readonly unknown[]) {
    const item = isList ? entry : (value as Readonly<Record<string, unknown>>)[entry as string];
    const start = isList ? before : `${before}${JSON.stringify(entry)}:`;
    before = ",";
    if (typeof item !== "object" || item === null || isSmall(item)) {
      const piece = start + textOf(item);
      pieces.push(piece);
      costOfStep += PIECE_COST + piece.length;
    } else {
      pieces.push(start);
      yield* addPieces(item, pieces);
    }
    if (costOfStep < STEP_COST) continue;
    costOfStep = 0;
    yield;
  }
  pieces.push(isList ? "]" : "}");
}

function textOf(value: unknown): string {
  return value === undefined ? "null" : JSON.stringify(value);
}

/** Cost of a piece besides its characters. */
const PIECE_COST = 20;

/** True if a value can be written in one step. */
function isSmall(value: object): boolean {
  return !isLongerThan(value, STEP_COST);
}
