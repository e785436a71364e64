import { ApiError } from "../api-schema/errors.js";
import type { TraceKey, TraceStore } from "../interfaces.js";
import { shownId } from "./trace-requests.js";

/** Tenants listed in an error. */
const MAX_NAMED = 20;

/**
 * Returns the key of a trace. Without a tenant, the id must be unique: a guess could delete the trace of another tenant.
 *
 * @throws `ApiError` ambiguous_trace if several tenants have the id.
 */
export async function findTraceKey(
  store: Pick<TraceStore, "tenantsOf">,
  traceId: string,
  tenant: string | undefined,
  signal?: AbortSignal,
): Promise<TraceKey> {
  if (tenant !== undefined) return { tenant, traceId };
  const tenants = await store.tenantsOf(traceId, signal);
  const [only = ""] = tenants;
  if (tenants.length > 1) throw ambiguousTrace(traceId, tenants);
  return { tenant: only, traceId };
}

function ambiguousTrace(traceId: string, tenants: readonly string[]): ApiError {
  return new ApiError(
    "ambiguous_trace",
    `${tenants.length} tenants have a trace ${shownId(traceId)}: name one of them in the parameter tenant.`,
    { count: tenants.length, tenants: tenants.slice(0, MAX_NAMED) },
  );
}
