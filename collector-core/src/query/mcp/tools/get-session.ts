import { Type } from "typebox";
import type { SessionSummary } from "../../../api-schema/sessions.js";
import type { TraceSummary } from "../../../api-schema/trace.js";
import type { TraceStore } from "../../../interfaces.js";
import { findSessionKey } from "../../find-trace-key.js";
import { requiredStore } from "../../trace-requests.js";
import { sessionNotFound } from "../../sessions-routes.js";
import { withWorstScores, type ScoreScale } from "../../worst-scores.js";
import { facts, type Answer, type Section } from "../answer/answer.js";
import { counted } from "../../../runtime/counted.js";
import { asCost, asCount, asDuration, asTime, sumCell, timeOf } from "../formats.js";
import { ARGUMENTS, defineTool, type Tool } from "../tool.js";
import { statusText, tenantOf } from "./search-traces.js";

const PREVIEW_LENGTH = 160;

/** A session, or the newest sessions. */
export function getSession(store: TraceStore | undefined, scores: ScoreScale): Tool {
  return defineTool({
    name: "get_session",
    title: "Read a session",
    description:
      "Reads a session: a conversation of a user, or a working session of a coding agent. Totals (turns, time, tokens, cost, errors, " +
      "tools, feedback) and one line a turn with its trace_id, input and output. Without session_id it lists the latest sessions.",
    arguments: {
      session_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1000, description: "Leave out to list sessions." }),
      ),
      query: ARGUMENTS.query,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: "Lines at most. Default: 20." }),
      ),
      cursor: ARGUMENTS.cursor,
    },
    async run({ session_id: id, query, limit = 20, cursor, ...rest }, { signal }) {
      const traces = requiredStore(store);
      const tenant = tenantOf(rest);
      const page = { limit, ...(cursor !== undefined && { cursor }) };
      if (id === undefined) {
        const found = await traces.sessions(
          { ...tenant, ...page, ...(query !== undefined && { query }) },
          signal,
        );
        return listAnswer(
          found.sessions.map((session) => withWorstScores(session, scores)),
          found.nextCursor,
        );
      }
      const key = await findSessionKey(traces, id, tenant.tenant, signal);
      const found = await traces.session(key, page, signal);
      if (found === undefined) throw sessionNotFound(id);
      return sessionAnswer(
        withWorstScores(found.session, scores),
        found.traces,
        found.nextCursor,
        cursor === undefined,
      );
    },
  });
}

function listAnswer(sessions: readonly SessionSummary[], nextCursor: string | null): Answer {
  return {
    lead:
      sessions.length === 0
        ? "No sessions: no trace that matches has a session_id."
        : `${counted(sessions.length, "session")}, latest first. Times are UTC.`,
    sections: [
      {
        kind: "table",
        title: "Sessions",
        columns: [
          { name: "session_id", length: 1000 },
          { name: "last", format: asTime },
          { name: "turns" },
          { name: "active", format: asDuration },
          { name: "tokens", format: asCount },
          { name: "cost", format: asCost },
          { name: "errors", format: asCount },
          { name: "agents", length: 60 },
          { name: "first input", length: 100 },
        ],
        rows: sessions.map((session) => [
          session.session_id,
          timeOf(session.last_time),
          session.traces,
          session.active_ms,
          session.tokens_input + session.tokens_output,
          sumCell(session),
          session.errors,
          session.agents.join(", "),
          session.first_input_preview,
        ]),
        rest: () => "use a smaller limit and the cursor, or a larger max_tokens",
      },
    ],
    notes: [
      ...(nextCursor === null ? [] : [`More: the same arguments with cursor "${nextCursor}".`]),
      ...(sessions.length === 0
        ? ["search_traces lists runs without a session too."]
        : ["One session: get_session with session_id."]),
    ],
  };
}

function sessionAnswer(
  session: SessionSummary,
  traces: readonly TraceSummary[],
  nextCursor: string | null,
  isFirstPage: boolean,
): Answer {
  return {
    lead: `A session of ${counted(session.traces, "turn")}${session.running ? ", still running" : ""}. Times are UTC.`,
    sections: [...(isFirstPage ? [sessionFacts(session, traces)] : []), turnsTable(traces)],
    notes: [
      nextCursor === null ? "No more turns." : `More turns: the same arguments with cursor "${nextCursor}".`,
      "One turn: get_trace with its trace_id.",
    ],
  };
}

function sessionFacts(session: SessionSummary, traces: readonly TraceSummary[]): Section {
  const { feedback, worst_score: worst } = session;
  const sum = (of: (trace: TraceSummary) => number): number =>
    traces.reduce((total, trace) => total + of(trace), 0);
  const isWhole = traces.length === session.traces;
  return facts("Session", [
    { name: "Session", value: session.session_id },
    { name: "User", value: session.user_id },
    { name: "Agents", value: session.agents.join(", ") },
    { name: "Models", value: session.models.join(", ") },
    { name: "Tools", value: [...new Set(traces.flatMap(({ tools }) => tools))].join(", ") },
    { name: "First start", value: timeOf(session.start_time), format: asTime },
    { name: "Last end", value: timeOf(session.last_time), format: asTime },
    { name: "Active", value: session.active_ms, format: asDuration },
    { name: "Model calls", value: isWhole ? sum(({ llm_calls: calls }) => calls) : null },
    { name: "Tool calls", value: isWhole ? sum(({ tool_calls: calls }) => calls) : null },
    { name: "Tokens in", value: session.tokens_input, format: asCount },
    { name: "Tokens out", value: session.tokens_output, format: asCount },
    { name: "Cost", value: session.cost_usd === 0 ? null : sumCell(session), format: asCost },
    { name: "Failed spans", value: session.errors || null },
    {
      name: "Feedback",
      value: feedback.up + feedback.down === 0 ? null : `${feedback.up} up, ${feedback.down} down`,
    },
    {
      name: "Worst score",
      value: worst === null ? null : `${worst.type} ${worst.score.toFixed(2)} in trace ${worst.trace_id}`,
    },
  ]);
}

function turnsTable(traces: readonly TraceSummary[]): Section {
  return {
    kind: "table",
    title: "Turns",
    columns: [
      { name: "trace_id", length: 128 },
      { name: "started", format: asTime },
      { name: "status", length: 40 },
      { name: "duration", format: asDuration },
      { name: "tokens", format: asCount },
      { name: "cost", format: asCost },
      { name: "calls" },
      { name: "input", length: PREVIEW_LENGTH },
      { name: "output", length: PREVIEW_LENGTH },
    ],
    rows: traces.map((trace) => [
      trace.trace_id,
      timeOf(trace.start_time),
      statusText(trace),
      trace.duration_ms,
      trace.tokens_input + trace.tokens_output,
      sumCell(trace),
      `${trace.llm_calls} llm, ${trace.tool_calls} tool`,
      trace.input_preview,
      trace.output_preview,
    ]),
    rest: () => "use a smaller limit and the cursor, or a larger max_tokens",
  };
}
