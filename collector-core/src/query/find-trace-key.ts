import type { TraceKey, TraceStore } from "../interfaces.js";

/** A trace that is asked for without a tenant is the newest of that id, whosesoever it is. */
export async function findTraceKey(
  store: TraceStore,
  traceId: string,
  tenant: string | undefined,
): Promise<TraceKey> {
  if (tenant !== undefined) return { tenant, traceId };
  const [newest = ""] = await store.tenantsOf(traceId);
  return { tenant: newest, traceId };
}
