import { parseSealed, sealJson } from "../records/sealed.js";
import { isFlag, isNumber, isText, listOf, objectOf, orAbsent, orNull } from "../../traces/stored-shape.js";
import { NO_SERIAL, type SpanLabels } from "../../traces/span-labels.js";
import type { RootSpan } from "../../traces/dropped-spans.js";
import { DroppedSpans } from "../../traces/dropped-spans.js";
import { TraceTotals, type TotalsState } from "../../traces/trace-totals.js";
import type { TraceRecord } from "../../traces/trace-record.js";

/** What a file has of a trace besides its spans. */
interface TraceState {
  readonly partial?: true;
  readonly sessionId?: string;
  readonly userId?: string;
  /** Remains of the spans that the cap dropped. */
  readonly dropped?: {
    readonly count: number;
    readonly totals: TotalsState;
    readonly root?: Omit<RootSpan, "labels"> & { readonly labels: Omit<SpanLabels, "serial"> };
  };
}

/** What {@link decodeState} reads. */
export interface DecodedState extends Pick<TraceRecord, "isPartial" | "sessionId" | "userId"> {
  readonly dropped: DroppedSpans | undefined;
}

/** Encodes what a file has of a trace besides its spans, with a checksum. */
export function encodeState({ isPartial, sessionId, userId, dropped }: TraceRecord): string {
  const state: TraceState = {
    ...(isPartial && { partial: true }),
    ...(sessionId !== "" && { sessionId }),
    ...(userId !== "" && { userId }),
    ...(dropped && {
      dropped: {
        count: dropped.count,
        totals: dropped.totals.toState(),
        ...(dropped.root && { root: dropped.root }),
      },
    }),
  };
  return sealJson(JSON.stringify(state), "");
}

const isTotals = objectOf({
  tokensInput: isNumber,
  tokensOutput: isNumber,
  costUsd: isNumber,
  hasComputedCost: orAbsent(isFlag),
  llmCalls: isNumber,
  toolCalls: isNumber,
  errorCount: isNumber,
  models: listOf(isText),
  providers: listOf(isText),
  tools: listOf(isText),
  prompts: listOf(isText),
  agent: isText,
  errorCategory: isText,
  ttftMs: orAbsent(isNumber),
  startEpochMs: isNumber,
  startNanos: isNumber,
  originEpochMs: orAbsent(isNumber),
  originNanos: isNumber,
  earliestOffsetMs: orAbsent(isNumber),
  latestOffsetMs: isNumber,
  ttftOffsetMs: orAbsent(isNumber),
});
const isRoot = objectOf({
  id: objectOf({ lo: isNumber, hi: isNumber }),
  startEpochMs: isNumber,
  startNanos: isNumber,
  isRunning: isFlag,
  seenAtMs: orNull(isNumber),
  labels: objectOf({
    service: orAbsent(isText),
    env: orAbsent(isText),
    version: orAbsent(isText),
    model: orAbsent(isText),
    provider: orAbsent(isText),
    agent: orAbsent(isText),
    toolName: orAbsent(isText),
    promptName: orAbsent(isText),
    promptVersion: orAbsent(isText),
    spanType: orAbsent(isText),
    status: orAbsent(isText),
    errorCategory: orAbsent(isText),
    evaluationType: orAbsent(isText),
  }),
  digest: objectOf({ name: isText, input: orAbsent(orNull(isText)), output: orAbsent(orNull(isText)) }),
});
const isState = objectOf({
  partial: orAbsent(isFlag),
  sessionId: orAbsent(isText),
  userId: orAbsent(isText),
  dropped: orAbsent(objectOf({ count: isNumber, totals: isTotals, root: orAbsent(isRoot) })),
});

/** Decodes what {@link encodeState} wrote. @throws DamageError */
export function decodeState(text: string): DecodedState {
  const {
    partial: isPartial = false,
    sessionId = "",
    userId = "",
    dropped,
  } = parseSealed(text, "", isState) as TraceState;
  if (dropped === undefined) return { isPartial, sessionId, userId, dropped: undefined };
  const { count, totals, root } = dropped;
  const restored = new DroppedSpans(TraceTotals.fromState(totals, DroppedSpans.MAX_MODELS));
  restored.count = count;
  if (root !== undefined) {
    const { version, ...labels } = root.labels;
    restored.root = { ...root, labels: { ...labels, version, serial: NO_SERIAL } };
  }
  return { isPartial, sessionId, userId, dropped: restored };
}
