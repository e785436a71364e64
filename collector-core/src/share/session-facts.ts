import { findingsOf, scoreReason, toolNames, type TurnReading } from "../analysis/session/turn-reading.js";
import { FEEDBACK_TYPE } from "../api-schema/evaluation-types.js";
import type { SessionSummary } from "../api-schema/sessions.js";
import type { TraceSummary } from "../api-schema/trace.js";
import { counted, whole } from "../runtime/counted.js";
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

/** What a file does not show of the session, as sentences. */
export function sessionNotes({ session, isRedacted, leftOut, cut }: SharedSession): string[] {
  return [
    redactionNote(isRedacted),
    ...(leftOut === 0 ? [] : [`The first ${counted(leftOut, "turn")} did not fit into this file.`]),
    ...(cut === 0 ? [] : [`${counted(cut, "turn")} had long texts or many spans, which are cut.`]),
    ...(session.running ? ["The session was still running."] : []),
  ];
}

/** The figures of a session that have a value. */
export function sessionFacts(session: SessionSummary, change: TextChange): Fact[] {
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

/** What happened in a turn, in few words. Figures are not changed: a redactor could take one for the number of a phone. */
export function figuresOf(summary: TraceSummary, reading: TurnReading, change: TextChange): string[] {
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

/** What failed or was repeated in a turn. */
export function findings(reading: TurnReading): string[] {
  const found = findingsOf(reading);
  return [
    ...found
      .slice(0, MAX_FINDINGS)
      .map(({ type, title, detail }) => `${type === "error" ? "Failed: " : ""}${title}: ${detail}`),
    ...(found.length > MAX_FINDINGS ? [`${whole(found.length - MAX_FINDINGS)} more`] : []),
  ];
}

/** The scores of a turn, with their reasons. */
export function scores({ scores: given }: TraceSummary, reading: TurnReading): string[] {
  return given.map(({ type, score }) => {
    const reason = scoreReason(reading, type);
    const value = type === FEEDBACK_TYPE ? (score >= UP_FROM ? "thumb up" : "thumb down") : score.toFixed(2);
    return `${type} ${value}${reason === undefined ? "" : `: ${reason}`}`;
  });
}
