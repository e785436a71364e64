import { Type } from "typebox";
import type {
  EvaluationList,
  EvaluationQuery,
  EvaluationSummary,
  EvaluationSummaryQuery,
} from "../../../api-schema/evaluations.js";
import type { Section } from "../answer/answer.js";
import { counted } from "../../../runtime/counted.js";
import { asCount, asTime, timeOf } from "../formats.js";
import { defineTool, type Tool } from "../tool.js";
import { ARGUMENTS } from "../tool.js";
import { tenantOf } from "./search-traces.js";

/** What {@link listEvaluationsTool} asks. */
export interface EvaluationReader {
  list(query: EvaluationQuery, signal: AbortSignal): Promise<EvaluationList>;
  summarize(query: EvaluationSummaryQuery, signal: AbortSignal): Promise<EvaluationSummary>;
}

/** Scores of judges, checks and users. */
export function listEvaluationsTool(reader: EvaluationReader): Tool {
  return defineTool({
    name: "list_evaluations",
    title: "List evaluations",
    description:
      "Scores from 0 to 1 that judges, checks and users gave to answers: a summary by type, and one line a score with its trace_id, " +
      "the explanation and the beginning of the evaluated text. order worst shows the worst answers first.",
    arguments: {
      type: Type.Optional(
        Type.String({ maxLength: 500, description: "Types, separated by commas: relevance,user_feedback." }),
      ),
      trace_id: Type.Optional(ARGUMENTS.traceId),
      agent: Type.Optional(Type.String({ maxLength: 200 })),
      model: Type.Optional(Type.String({ maxLength: 200 })),
      past_threshold: Type.Optional(Type.Boolean({ description: "true: only bad scores." })),
      order: Type.Optional(
        Type.Union([Type.Literal("newest"), Type.Literal("worst")], { description: "Default: newest." }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: "Lines at most. Default: 20." }),
      ),
      cursor: ARGUMENTS.cursor,
    },
    async run(
      {
        past_threshold: past,
        order = "newest",
        limit = 20,
        cursor,
        type,
        trace_id: traceId,
        agent,
        model,
        ...rest
      },
      { signal },
    ) {
      const filter = {
        ...(type !== undefined && { type }),
        ...(agent !== undefined && { agent }),
        ...(model !== undefined && { model }),
        ...tenantOf(rest),
      };
      const list = await reader.list(
        {
          ...filter,
          order,
          limit,
          ...(traceId !== undefined && { trace_id: traceId }),
          ...(past !== undefined && { past_threshold: past }),
          ...(cursor !== undefined && { cursor }),
        },
        signal,
      );
      const isOverview = cursor === undefined && traceId === undefined;
      const summary = isOverview ? await reader.summarize({ ...filter, points: 1 }, signal) : undefined;
      return {
        lead:
          list.evaluations.length === 0
            ? "No evaluation matches."
            : `${counted(list.evaluations.length, "evaluation")}, ${order} first. Times are UTC.`,
        sections: [...(summary === undefined ? [] : [byType(summary)]), scores(list)],
        notes: [
          ...(list.next_cursor === null
            ? []
            : [`More: the same arguments with cursor "${list.next_cursor}".`]),
          list.evaluations.length === 0
            ? "Scores come from a judge of the collector (evaluation.enabled), from score() of the SDK and from users."
            : "The evaluated answer: get_trace with trace_id and span_id.",
        ],
      };
    },
  });
}

function byType({ types }: EvaluationSummary): Section {
  return {
    kind: "table",
    title: "By type",
    columns: [
      { name: "type", length: 80 },
      { name: "better" },
      { name: "scores", format: asCount },
      { name: "mean", format: twoDigits },
      { name: "threshold", format: twoDigits },
      { name: "bad", format: asCount },
    ],
    rows: types.map((each) => [
      each.type,
      BETTER[each.direction],
      each.count,
      each.mean,
      each.threshold,
      each.past_threshold,
    ]),
  };
}

const BETTER = { maximize: "higher", minimize: "lower", neutral: "neither" } as const;

function twoDigits(value: number): string {
  return value.toFixed(2);
}

function scores({ evaluations }: EvaluationList): Section {
  return {
    kind: "table",
    title: "Scores",
    columns: [
      { name: "time", format: asTime },
      { name: "type", length: 60 },
      { name: "score", format: twoDigits },
      { name: "bad" },
      { name: "label", length: 64 },
      { name: "explanation", length: 200 },
      { name: "by", length: 60 },
      { name: "trace", length: 60 },
      { name: "trace_id", length: 128 },
      { name: "span_id", length: 64 },
      { name: "evaluated text", length: 160 },
    ],
    rows: evaluations.map((each) => [
      timeOf(each.time),
      each.type,
      each.score,
      each.outcome === "completed" ? (each.past_threshold ? "yes" : null) : each.outcome,
      each.label,
      each.explanation,
      each.judge_model ?? each.source,
      each.trace_name,
      each.trace_id,
      each.evaluated_span_id,
      each.evaluated_text,
    ]),
    rest: () => "use a smaller limit and the cursor, or a larger max_tokens",
  };
}
