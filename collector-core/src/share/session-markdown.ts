import type { Utterance } from "../analysis/session/turn-reading.js";
import { quotedMarkdown } from "../analysis/transcript/transcript-markdown.js";
import { counted, whole } from "../runtime/counted.js";
import { inlineMarkdown, RECORDED } from "./markdown-text.js";
import {
  figuresOf,
  findings,
  scores,
  sessionFacts,
  sessionNotes,
  type SharedSession,
  type SharedTurn,
  type TextChange,
} from "./session-facts.js";
import { timeText } from "./trace-facts.js";

/** The head of a session as Markdown: its figures, and what the file does not show. */
export function sessionMarkdown(shown: SharedSession, change: TextChange): string {
  const { session } = shown;
  const facts = sessionFacts(session, change).map(
    ({ name, value }) => `- ${name}: ${inlineMarkdown(value)}\n`,
  );
  const notes = [...sessionNotes(shown), RECORDED];
  return `# Session: ${inlineMarkdown(change(session.session_id))}\n\n${facts.join("")}\n${notes.join(" ")}\n`;
}

/** One turn as Markdown: what the user said, what the agent did, and what it answered. */
export function turnMarkdown(
  { number, trace: { summary }, reading }: SharedTurn,
  change: TextChange,
): string {
  const { root_name: name, start_time: start, trace_id: id } = summary;
  const inline = (text: string): string => inlineMarkdown(change(text));
  const blocks = [
    `## Turn ${number}, ${timeText(start)}`,
    said("User", reading.question, change),
    `${inline(name)}: ${inlineMarkdown([...figuresOf(summary, reading, change), `trace ${id}`].join(" · "))}`,
    listOf(findings(reading), inline),
    said("Agent", reading.answer, change),
    summary.running ? "The turn was still running." : undefined,
    listOf(scores(summary, reading), inline),
  ];
  return `\n${blocks.filter((block) => block !== undefined).join("\n\n")}\n`;
}

/** What a person or a model said. */
function said(who: string, utterance: Utterance | undefined, change: TextChange): string | undefined {
  if (utterance === undefined) return undefined;
  const { text, bytes, images } = utterance;
  const notes = [
    ...(images > 0 ? [`[${counted(images, "image")}]`] : []),
    ...(bytes === undefined ? [] : [`[${whole(bytes)} bytes in all]`]),
  ];
  const quote = [text === "" ? [] : [change(text)], notes].flat().join("\n\n");
  return `**${who}**\n\n${quotedMarkdown(quote)}`;
}

function listOf(items: readonly string[], inline: (text: string) => string): string | undefined {
  return items.length === 0 ? undefined : items.map((item) => `- ${inline(item)}`).join("\n");
}
