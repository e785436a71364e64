import type { MessageEntry, SpanNode, Transcript, TranscriptEntry } from "@obspan/collector-core/analysis";
import type { TranscriptParts } from "../trace-view-store.js";

/** A row of the transcript: an entry, or the messages before the run, folded. */
export type TranscriptRow =
  | TranscriptEntry
  | { readonly kind: "earlier"; readonly key: string; readonly node: SpanNode; readonly count: number };

/** Key of the row that opens the messages before the run. */
export const EARLIER = "earlier messages";

/** The rows to show. */
export function transcriptRows(
  { entries }: Transcript,
  parts: TranscriptParts,
  showsEarlier: boolean,
): TranscriptRow[] {
  const shown = entries.filter((entry) => isShown(entry, parts));
  const earlier = shown.filter((entry): entry is MessageEntry => entry.kind === "message" && entry.isEarlier);
  const [first] = earlier;
  if (first === undefined) return shown;
  const fold = { kind: "earlier", key: EARLIER, node: first.node, count: earlier.length } as const;
  return [fold, ...(showsEarlier ? shown : shown.slice(earlier.length))];
}

/** What a row is called, for readers who hear it: its step, a message before it, or what is folded. */
export function nameOfRow(row: TranscriptRow, numbers: ReadonlyMap<string, number>): string {
  if (row.kind === "earlier") return "Earlier messages";
  if (row.kind === "steps") return "Other steps";
  if (row.kind === "message") return `Message, ${row.message.role}`;
  const number = numbers.get(row.node.id);
  const { name } = row.node.span;
  return number === undefined ? name : `Step ${number}, ${name}`;
}

function isShown(entry: TranscriptEntry, { system, tools, steps }: TranscriptParts): boolean {
  if (entry.kind === "message") return system || !isInstruction(entry);
  if (entry.kind === "step") return tools || entry.tool.error !== undefined;
  return entry.kind !== "steps" || steps;
}

function isInstruction({ message }: MessageEntry): boolean {
  return /^(?:system|developer)$/i.test(message.role);
}

/**
 * The row of each span: the turn of a call rather than a message that it sent. A span without a row has that of the span around it.
 */
export function rowOfSpan(rows: readonly TranscriptRow[], node: SpanNode | undefined): number {
  let places = known.get(rows);
  if (places === undefined) known.set(rows, (places = placesOf(rows)));
  for (let at = node; at !== undefined; at = at.parent) {
    const index = places.get(at.id);
    if (index !== undefined) return index;
  }
  return -1;
}

/** Where the spans are in some rows, by id. They are looked up for each span that a search finds. */
const known = new WeakMap<readonly TranscriptRow[], ReadonlyMap<string, number>>();

function placesOf(rows: readonly TranscriptRow[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    for (const id of idsOf(row)) if (!places.has(id) || row.kind === "turn") places.set(id, index);
  }
  return places;
}

function idsOf(row: TranscriptRow): string[] {
  const own = [row.node.id];
  if (row.kind === "steps") return row.steps.map(({ node }) => node.id);
  if (row.kind !== "turn") return own;
  return [...own, ...row.tools.flatMap(({ node }) => (node === undefined ? [] : [node.id]))];
}

/** The keys of what can be folded in a row. */
export function foldKeys(row: TranscriptRow): string[] {
  if (row.kind === "turn") return [row.key, ...row.tools.map(({ key }) => key)];
  return row.kind === "step" ? [row.key, row.tool.key] : [row.key];
}

/** A first guess of a row's height, in pixels. */
export function estimatedHeight(row: TranscriptRow): number {
  switch (row.kind) {
    case "turn":
      return 40 + textHeight(row.output) + row.tools.length * 60;
    case "message":
      return 40 + textHeight([row.message]);
    case "step":
      return 76;
    case "earlier":
    case "steps":
    case "handoff":
    case "error":
      return 38;
  }
}

/** Characters in a line of prose, and the height of a line. */
const LINE_LENGTH = 95;
const LINE_HEIGHT = 20;
const EMPTY_LINE = 0.3;
const MOST_LINES = 14;

function textHeight(messages: readonly MessageEntry["message"][]): number {
  let lines = 0;
  for (const { parts } of messages) for (const part of parts) lines += linesOf(part);
  return lines * LINE_HEIGHT;
}

/** Lines of a part; an empty one between two blocks is less than one. */
function linesOf(part: MessageEntry["message"]["parts"][number]): number {
  if (part.kind !== "text" || typeof part.text !== "string") return Math.ceil(400 / LINE_LENGTH);
  const { text } = part;
  let lines = 0;
  for (let at = 0; at < text.length && lines < MOST_LINES;) {
    const next = text.indexOf("\n", at);
    const end = next < 0 ? text.length : next;
    lines += end === at ? EMPTY_LINE : Math.ceil((end - at) / LINE_LENGTH);
    at = end + 1;
  }
  return Math.min(MOST_LINES, lines);
}
