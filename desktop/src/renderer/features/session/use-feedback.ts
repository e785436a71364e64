import type { TraceSummary } from "@obspan/collector-core/api-schema";
import { FEEDBACK_TYPE } from "@obspan/collector-core/api-schema";
import { useConversation, useEvaluations, useStores } from "../../app-context.js";
import { rowKeyOf } from "../../store/trace-key.js";
import { textOf } from "@obspan/collector-core/analysis";

/** Thumbs on turns. */
export interface TurnFeedback {
  /** Rates the answer of a turn. */
  readonly rate: (turn: TraceSummary, score: 0 | 1) => void;
  /** Why the last one was not taken. */
  readonly failure: string | undefined;
}

/** Sends the user's feedback as the SDK's `score()` does. A second thumb replaces the first. */
export function useFeedback(): TurnFeedback {
  const { evaluations, conversation } = useStores();
  const failure = useEvaluations((state) => state.runNotice);
  return {
    failure,
    rate(turn, score) {
      const spans = conversation.getState().details[rowKeyOf(turn)]?.spans ?? [];
      const root =
        spans.find(
          ({ parent_span_id: parent, span_type: type }) => parent === null && type !== "evaluation",
        ) ?? spans.find(({ span_type: type }) => type !== "evaluation");
      if (root === undefined) return;
      const earlier = spans.findLast(
        (span) =>
          span.span_type === "evaluation" &&
          textOf(span, "evaluation_type") === FEEDBACK_TYPE &&
          textOf(span, "evaluated_span_id") === root.span_id,
      );
      void evaluations.getState().rate(
        {
          trace: { traceId: turn.trace_id, tenant: turn.tenant },
          spanId: root.span_id,
          service: root.service,
          env: root.env,
          earlierId: earlier?.span_id,
        },
        score,
      );
    },
  };
}

/** The thumb of a turn; undefined without one. */
export function thumbOf({ scores }: TraceSummary): "up" | "down" | undefined {
  const given = scores.find(({ type }) => type === FEEDBACK_TYPE);
  if (given === undefined) return undefined;
  return given.score >= 0.5 ? "up" : "down";
}

/** Whether the spans of a turn are there: a thumb is about its root. */
export function useCanRate(turn: TraceSummary): boolean {
  return useConversation(({ details }) => details[rowKeyOf(turn)]?.spans !== undefined);
}
