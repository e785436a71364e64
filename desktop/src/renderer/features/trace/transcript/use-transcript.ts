import {
  buildSpanTree,
  readRunInSteps,
  runSteps,
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
  const isLong = useTrace(({ spans }) => spans.length > LONG_RUN);
  return useInSlices(useReading(), isLong);
}

/** The function that returns the transcript, for what needs it only once in a while. */
export function useReadTranscript(): () => ReadTranscript {
  const read = useReading();
  return () => runSteps(read());
}

/** The transcripts of the run that is open, as they were read last: the view and its tools use the same. */
const lastRead = new WeakMap<Run, { readonly whole: TraceState["whole"]; readonly read: ReadTranscript }>();

function useReading(): () => Steps<ReadTranscript> {
  const { run } = useTracePage();
  const spans = useTrace((state) => state.spans);
  const whole = useTrace((state) => state.whole);
  return useMemo(
    () =>
      function* () {
        const last = lastRead.get(run);
        if (last?.whole === whole) return last.read;
        const read = yield* readTranscript(run, spans, whole);
        lastRead.set(run, { whole, read });
        return read;
      },
    [run, spans, whole],
  );
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
