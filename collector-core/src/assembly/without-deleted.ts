import type { SharedDeletions, SpanSink } from "../interfaces.js";

/**
 * A sink that gets no spans of a trace that was deleted after they had arrived: a shared store does not keep them.
 *
 * @param deletions - undefined if nobody shares the store.
 */
export function withoutDeleted(
  sink: SpanSink,
  deletions: Pick<SharedDeletions, "lastOf"> | undefined,
): SpanSink {
  if (deletions === undefined) return sink;
  return {
    name: sink.name,
    offer: (spans) =>
      sink.offer(
        spans.filter(
          ({ facts: { traceId }, context: { tenant, receivedAtMs } }) =>
            receivedAtMs > deletions.lastOf({ tenant, traceId }),
        ),
      ),
  };
}
