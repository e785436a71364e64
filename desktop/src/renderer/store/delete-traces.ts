/** Deletions under way at once: a browser opens six connections to a host. */
const AT_ONCE = 4;

/** What {@link deleteTraces} could not do. */
export interface DeletionResult {
  /** Those that are still there. */
  readonly kept: ReadonlySet<string>;
  /** Why, for the reader; undefined where all are gone. */
  readonly failure: string | undefined;
}

/** Deletes traces, a few at a time. One that is gone already counts as deleted. */
export async function deleteTraces(
  traceIds: ReadonlySet<string>,
  deleteTrace: (traceId: string) => Promise<void>,
): Promise<DeletionResult> {
  const queue = [...traceIds];
  const kept = new Set<string>();
  let reason = "";

  async function work(): Promise<void> {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      try {
        await deleteTrace(id);
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "trace_not_found") continue;
        kept.add(id);
        reason = error instanceof Error ? error.message : String(error);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const count = kept.size === 1 ? "1 trace was" : `${kept.size} traces were`;
  return { kept, failure: kept.size === 0 ? undefined : `${count} not deleted: ${reason}` };
}
