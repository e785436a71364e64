import type { SpanLabels } from "../../traces/span-labels.js";
import type { RootSpan } from "../../traces/dropped-spans.js";
import { DroppedSpans } from "../../traces/dropped-spans.js";
import { TraceTotals, type TotalsState } from "../../traces/trace-totals.js";
import type { TraceRecord } from "../../traces/trace-record.js";

/** What a file has of a trace besides its spans. */
interface TraceState {
  readonly partial?: true;
  /** Remains of the spans that the cap dropped. */
  readonly dropped?: {
    readonly count: number;
    readonly totals: TotalsState;
    readonly root?: Omit<RootSpan, "labels"> & { readonly labels: Omit<SpanLabels, "serial"> };
  };
}

/** Labels of a dropped root are shown and never interned. */
const NO_SERIAL = -1;

export function encodeState({ isPartial, dropped }: TraceRecord): string {
  const state: TraceState = {
    ...(isPartial && { partial: true }),
    ...(dropped && {
      dropped: {
        count: dropped.count,
        totals: dropped.totals.toState(),
        ...(dropped.root && { root: dropped.root }),
      },
    }),
  };
  return JSON.stringify(state);
}

/** Decodes what {@link encodeState} wrote. */
export function decodeState(text: string): { isPartial: boolean; dropped: DroppedSpans | undefined } {
  const { partial = false, dropped } = JSON.parse(text) as TraceState;
  if (dropped === undefined) return { isPartial: partial, dropped: undefined };
  const { count, totals, root } = dropped;
  const restored = new DroppedSpans(TraceTotals.fromState(totals, DroppedSpans.MAX_MODELS));
  restored.count = count;
  if (root !== undefined) {
    const { version, ...labels } = root.labels;
    restored.root = { ...root, labels: { ...labels, version, serial: NO_SERIAL } };
  }
  return { isPartial: partial, dropped: restored };
}
