import {
  buildSpanTree,
  readRunInSteps,
  transcriptInSteps,
  type Run,
  type Steps,
  type Transcript,
} from "@obspan/collector-core/analysis";
import { useMemo } from "react";
import { useTrace } from "../../../app-context.js";
import type { TraceState } from "../../../store/trace-store.js";
import { useInSlices } from "../hooks/use-in-slices.js";
import { groupEvaluations } from "../model/evaluation-group.js";
import { LONG_RUN, useTracePage } from "../trace-page-context.js";

/** A run as a conversation. */
export interface ReadTranscript {
  /** With the full texts of the spans that are loaded. */
  readonly run: Run;
  readonly transcript: Transcript;
}

/** The transcript of the open trace; undefined until a long one is read. */
export function useTranscript(): ReadTranscript | undefined {
  const { run } = useTracePage();
  const spans = useTrace((state) => state.spans);
  const whole = useTrace((state) => state.whole);
  const read = useMemo(() => () => readTranscript(run, spans, whole), [run, spans, whole]);
  return useInSlices(read, spans.length > LONG_RUN);
}

function* readTranscript(
  previews: Run,
  spans: TraceState["spans"],
  whole: TraceState["whole"],
): Steps<ReadTranscript> {
  let run = previews;
  if (Object.keys(whole).length > 0) {
    const loaded = spans.map((span) =>
      Object.hasOwn(whole, span.span_id) ? (whole[span.span_id] ?? span) : span,
    );
    run = yield* readRunInSteps(buildSpanTree(groupEvaluations(loaded)));
  }
  return { run, transcript: yield* transcriptInSteps(run) };
}
