import {
  findingsOf,
  scoreReason,
  toolNames,
  type TurnReading,
  type Utterance,
} from "../analysis/session/turn-reading.js";
import { quotedMarkdown } from "../analysis/transcript/transcript-markdown.js";
import { FEEDBACK_TYPE } from "../api-schema/evaluation-types.js";
import type { SessionSummary } from "../api-schema/sessions.js";
import type { TraceSummary } from "../api-schema/trace.js";
import { counted, whole } from "../runtime/counted.js";
import { inlineMarkdown, RECORDED } from "./markdown-text.js";
import type { SharedTrace, SharedTraceRedactor } from "./shared-trace.js";
import { costOfSum, durationText, redactionNote, timeText, type Fact } from "./trace-facts.js";

/** Failures and repeated calls of one turn in a file. */
const MAX_FINDINGS = 20;
/** A thumb up is a score of 1, a thumb down one of 0. */
const UP_FROM = 0.5;

/** Replaces personal data and secrets, if the file is to have none. */
export type TextChange = SharedTraceRedactor["text"];

/** A trace of a session as a turn of its conversation. */
export interface SharedTurn {
  /** The first turn of the session is 1. */
  readonly number: number;
  readonly trace: Pick<SharedTrace, "summary" | "leftOut" | "cut">;
  readonly reading: TurnReading;
}

/** What stands above the turns of a file. */
export interface SharedSession {
  readonly session: SessionSummary;
  readonly isRedacted: boolean;
  /** Turns before those of the file. */
  readonly leftOut: number;
  /** Turns whose texts were cut, or whose spans did not fit. */
  readonly cut: number;
}

/** The head of a session as Markdown: its figures, and what the file does not show. */
export function sessionMarkdown(
  { session, isRedacted, leftOut, cut }: SharedSession,
  change: TextChange,
): string {
  const facts = sessionFacts(session, change).map(
    ({ name, value }) => `- ${name}: ${inlineMarkdown(value)}\n`,
  );
  const notes = [
    redactionNote(isRedacted),
    ...(leftOut === 0 ? [] : [`The first ${counted(leftOut, "turn")} did not fit into this file.`]),
    ...(cut === 0 ? [] : [`${counted(cut, "turn")} had long texts or many spans, which are cut.`]),
    ...(session.running ? ["The session was still running."] : []),
    RECORDED,
  ];
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

/** The figures of a session that have a value. */
function sessionFacts(session: SessionSummary, change: TextChange): Fact[] {
  const { tokens_input: input, tokens_output: output, feedback, worst_score: worst } = session;
  const between = Date.parse(session.last_time) - Date.parse(session.start_time);
  const facts: [name: string, value: string | null][] = [
    ["User", session.user_id && change(session.user_id)],
    ["Started", timeText(session.start_time)],
    ["Last activity", timeText(session.last_time)],
    ["Turns", whole(session.traces)],
    ["Active", `${durationText(session.active_ms)} of ${durationText(between)}`],
    ["Tokens in → out", input + output === 0 ? null : `${whole(input)} → ${whole(output)}`],
    ["Cost", costOfSum(session)],
    ["Agents", session.agents.join(", ")],
    ["Models", session.models.join(", ")],
    ["Errors", session.errors === 0 ? null : whole(session.errors)],
    ["Feedback", feedback.up + feedback.down === 0 ? null : `${feedback.up} up, ${feedback.down} down`],
    ["Worst score", worst && `${worst.type} ${worst.score.toFixed(2)}, trace ${worst.trace_id}`],
  ];
  return facts.flatMap(([name, value]) => (value === null || value === "" ? [] : [{ name, value }]));
}

/** Figures are not changed: a redactor could take one for the number of a phone. */
function figuresOf(summary: TraceSummary, reading: TurnReading, change: TextChange): string[] {
  const { tokens_input: input, tokens_output: output } = summary;
  const { models, tools, agents } = reading;
  const cost = costOfSum(summary);
  return [
    ...(models > 0 ? [counted(models, "model call")] : []),
    ...(tools > 0 ? [`${counted(tools, "tool call")} (${change(toolNames(reading))})`] : []),
    ...(agents > 0 ? [counted(agents, "agent")] : []),
    durationText(summary.duration_ms),
    ...(input + output > 0 ? [`${whole(input)} → ${whole(output)} tokens`] : []),
    ...(cost === null ? [] : [cost]),
  ];
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

function findings(reading: TurnReading): string[] {
  const found = findingsOf(reading);
  return [
    ...found
      .slice(0, MAX_FINDINGS)
      .map(({ type, title, detail }) => `${type === "error" ? "Failed: " : ""}${title}: ${detail}`),
    ...(found.length > MAX_FINDINGS ? [`${whole(found.length - MAX_FINDINGS)} more`] : []),
  ];
}

function scores({ scores: given }: TraceSummary, reading: TurnReading): string[] {
  return given.map(({ type, score }) => {
    const reason = scoreReason(reading, type);
    const value = type === FEEDBACK_TYPE ? (score >= UP_FROM ? "thumb up" : "thumb down") : score.toFixed(2);
    return `${type} ${value}${reason === undefined ? "" : `: ${reason}`}`;
  });
}

function listOf(items: readonly string[], inline: (text: string) => string): string | undefined {
  return items.length === 0 ? undefined : items.map((item) => `- ${inline(item)}`).join("\n");
}
