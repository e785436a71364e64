import { REDACTION_MARKS, type TraceSummary } from "@obspan/collector-core/api-schema";
import type { ConversationState } from "../../../store/conversation-store.js";
import { rowKeyOf } from "../../../store/trace-key.js";
import { readingOf } from "./turn-readings.js";

const MARKS: ReadonlySet<string> = new Set(REDACTION_MARKS);

/** Start and end of each mark that redaction left in a text, such as `[EMAIL]`. */
export function redactionsIn(text: string): [start: number, end: number][] {
  return [...text.matchAll(/\[[A-Z_]+\]/g)]
    .filter(([mark]) => MARKS.has(mark))
    .map(({ index, 0: mark }) => [index, index + mark.length]);
}

/** What redaction replaced in what was said in a session. */
export interface SessionRedactions {
  readonly count: number;
  /** Turns that were read: the others are not counted. */
  readonly turns: number;
}

export function sessionRedactions(
  turns: readonly TraceSummary[],
  details: ConversationState["details"],
): SessionRedactions {
  let [count, read] = [0, 0];
  for (const turn of turns) {
    const spans = details[rowKeyOf(turn)]?.spans;
    if (spans === undefined) continue;
    read++;
    const { question, answer } = readingOf(spans);
    for (const said of [question, answer]) count += redactionsIn(said?.text ?? "").length;
  }
  return { count, turns: read };
}
