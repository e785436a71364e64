import { counted } from "../../../runtime/counted.js";
import { Type } from "typebox";
import { ApiError } from "../../../api-schema/errors.js";
import type { EvaluationRun, EvaluationRunAnswer } from "../../../api-schema/evaluations.js";
import { modelCallOf } from "../../../analysis/run.js";

import { requiredNode, type ReadTraceRun, type TraceRun } from "../read-run.js";
import { ARGUMENTS, defineTool, type Tool, type ToolContext } from "../tool.js";
import { tenantOf } from "./search-traces.js";

/** Spans of one request: each is a call of the judge, which costs money. */
const MAX_SPANS = 20;

/** Lets the judge score stored spans. */
export function evaluate(
  readRun: ReadTraceRun,
  start: (run: EvaluationRun, context: ToolContext) => Promise<EvaluationRunAnswer>,
): Tool {
  return defineTool({
    name: "evaluate",
    title: "Evaluate a trace",
    description:
      "Lets the collector's judge score answers of a run: by default its last model call, or the named steps. Runs in the background, " +
      "and costs a call of the judge for each step and type; read the scores with list_evaluations and trace_id a few seconds later. Types: " +
      "relevance, helpfulness, correctness, faithfulness, hallucination, conciseness, toxicity, instruction_following, tool_selection, " +
      "criteria:<what the answer must do>; checks without a judge: valid_json, contains:<text>, regex:<pattern>, length:<min>-<max>.",
    isWrite: true,
    arguments: {
      trace_id: ARGUMENTS.traceId,
      types: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
        minItems: 1,
        maxItems: 5,
        description: "Evaluation types.",
      }),
      steps: Type.Optional(
        Type.Array(Type.Integer({ minimum: 1 }), {
          minItems: 1,
          maxItems: MAX_SPANS,
          description: `At most ${MAX_SPANS} steps of get_trace.`,
        }),
      ),
    },
    async run({ trace_id, types, steps, ...rest }, context) {
      const tenant = tenantOf(rest);
      const spans = await readRun({ trace_id, ...tenant }, context.signal, (traceRun) =>
        spansOf(traceRun, steps),
      );
      const answer = await start(
        { types, spans: spans.map((span_id) => ({ trace_id, span_id })), ...tenant },
        context,
      );
      return {
        lead: `${counted(answer.enqueued, "evaluation")} of ${counted(answer.spans, "span")} will run${answer.dropped === 0 ? "" : `; ${answer.dropped} did not fit into the queue`}.`,
        sections: [],
        notes: ["Read the scores with list_evaluations and the trace_id in a few seconds."],
      };
    },
  });
}

function spansOf({ run, summary }: TraceRun, steps: readonly number[] | undefined): string[] {
  const last = run.calls.at(-1);
  if (steps === undefined && last === undefined)
    throw new ApiError("invalid_query", "The trace has no model call: name the steps to evaluate.");
  const nodes =
    steps === undefined ? [last?.node] : steps.map((step) => requiredNode({ run, summary }, { step }));
  const ids = nodes.flatMap((node) =>
    node === undefined ? [] : [modelCallOf(run, node.id)?.node.id ?? node.id],
  );
  return [...new Set(ids)];
}
