import type { Utterance } from "../../analysis/session/turn-reading.js";
import type { Transcript } from "../../analysis/transcript/entries.js";
import { counted, whole } from "../../runtime/counted.js";
import {
  figuresOf,
  findings,
  scores,
  sessionFacts,
  sessionNotes,
  type SharedSession,
  type SharedTurn,
  type TextChange,
} from "../session-facts.js";
import { durationText, timeText } from "../trace-facts.js";
import { documentHead } from "./document-head.js";
import { escapeHtml } from "./escape.js";
import { proseHtml } from "./message-html.js";
import { transcriptHtml } from "./transcript-html.js";

/** The head of a session as one HTML file that needs nothing else: its figures, and what the file does not show. */
export function sessionHtml(shown: SharedSession, change: TextChange): string {
  const { session } = shown;
  const id = change(session.session_id);
  const facts = sessionFacts(session, change).map(
    ({ name, value }) => `<div><dt>${name}</dt><dd dir="auto">${escapeHtml(value)}</dd></div>`,
  );
  return `${documentHead(`${id} · Obspan session`)}<header>
<h1><bdi>${escapeHtml(id)}</bdi></h1>
<dl class="facts">${facts.join("")}</dl>
<p class="note">${escapeHtml(sessionNotes(shown).join(" "))}</p>
</header>
<main>
`;
}

/** What follows the turns. */
export const SESSION_END = "</main>\n</body>\n</html>\n";

/**
 * One turn, piece by piece: what the user said, what the agent did and in which steps, and what it answered. Its texts are
 * redacted already.
 */
export function* turnHtml(
  { number, trace: { summary }, reading }: SharedTurn,
  transcript: Transcript,
): Generator<string> {
  const { root_name: name, start_time: start, trace_id: id, duration_ms: ms, running } = summary;
  const happened = [name, ...figuresOf(summary, reading, (text) => text), `trace ${id}`].join(" · ");
  yield [
    `<section class="exchange" aria-labelledby="turn-${number}">`,
    `<h2 id="turn-${number}">Turn ${number} <small>${escapeHtml(timeText(start))}</small></h2>`,
    said("said user", "User", "", reading.question),
    `<details class="activity"><summary><bdi>${escapeHtml(happened)}</bdi></summary>\n`,
  ].join("\n");
  yield* transcriptHtml(transcript);
  yield [
    "\n</details>",
    listOf("failures", findings(reading)),
    said("said assistant", "Agent", durationText(ms), reading.answer),
    running ? '<p class="note"><b class="running">The turn was still running.</b></p>' : "",
    listOf("scores", scores(summary, reading)),
    "</section>\n",
  ].join("\n");
}

/** What a person or a model said. */
function said(kind: string, who: string, took: string, utterance: Utterance | undefined): string {
  if (utterance === undefined) return "";
  const { text, bytes, images } = utterance;
  const notes = [
    ...(images > 0 ? [`[${counted(images, "image")}]`] : []),
    ...(bytes === undefined ? [] : [`[${whole(bytes)} bytes in all]`]),
  ].map((note) => `<p class="note">${escapeHtml(note)}</p>`);
  return (
    `<article class="${kind}"><div class="time">${took}</div><div class="body"><header><h3>${who}</h3></header>` +
    `${proseHtml(text)}${notes.join("")}</div></article>`
  );
}

function listOf(kind: string, items: readonly string[]): string {
  if (items.length === 0) return "";
  return `<ul class="${kind}">${items.map((item) => `<li dir="auto">${escapeHtml(item)}</li>`).join("")}</ul>`;
}
