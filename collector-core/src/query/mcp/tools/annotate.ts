import { Type } from "typebox";
import { FEEDBACK_TYPE } from "../../../api-schema/evaluation-types.js";
import type { TraceSummary } from "../../../api-schema/trace.js";
import { requiredNode, type ReadTraceRun } from "../read-run.js";
import { ARGUMENTS, defineTool, type Tool } from "../tool.js";
import { tenantOf } from "./search-traces.js";

/** A score that is added to a trace, or to a span of it. */
export interface Annotation {
  readonly trace: TraceSummary;
  readonly spanId: string | undefined;
  readonly type: string;
  readonly score: number;
  readonly label: string | undefined;
  readonly comment: string | undefined;
}

/** Adds a score and a comment to a trace. */
export function annotate(readRun: ReadTraceRun, add: (annotation: Annotation) => Promise<void>): Tool {
  return defineTool({
    name: "annotate",
    title: "Annotate a trace",
    description:
      "Adds a score from 0 to 1 with a comment to a run or to one of its steps, as a person would: seen in the app, in search_traces " +
      "(score:<type><0.5) and in list_evaluations. Use it to leave what you found for people, such as the cause of a failure.",
    isWrite: true,
    arguments: {
      trace_id: ARGUMENTS.traceId,
      step: ARGUMENTS.step,
      span_id: ARGUMENTS.spanId,
      score: Type.Number({ minimum: 0, maximum: 1, description: "0 is bad, 1 is good." }),
      type: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: `What is scored. Default: ${FEEDBACK_TYPE}.`,
        }),
      ),
      label: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "A word or two." })),
      comment: Type.Optional(Type.String({ minLength: 1, maxLength: 4000, description: "What you found." })),
    },
    async run({ trace_id, step, span_id, score, type = FEEDBACK_TYPE, label, comment, ...rest }, { signal }) {
      const target = await readRun({ trace_id, ...tenantOf(rest) }, signal, (traceRun) => ({
        trace: traceRun.summary,
        spanId: requiredNode(traceRun, { step, span_id })?.id,
      }));
      await add({ ...target, type, score, label, comment });
      return {
        lead: `The score ${score} was added to the ${target.spanId === undefined ? "trace" : "step"}.`,
        sections: [],
      };
    },
  });
}
