import { ApiError } from "../api-schema/errors.js";
import type { SessionKey, TraceKey, TraceStore } from "../interfaces.js";
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
  if (tenants.length > 1) throw ambiguous("trace", traceId, tenants);
  return { tenant: only, traceId };
}

/**
 * Returns the key of a session. Without a tenant, the id must be unique.
 *
 * @throws `ApiError` ambiguous_session if several tenants have the id.
 */
export async function findSessionKey(
  store: Pick<TraceStore, "tenantsOfSession">,
  sessionId: string,
  tenant: string | undefined,
  signal?: AbortSignal,
): Promise<SessionKey> {
  if (tenant !== undefined) return { tenant, sessionId };
  const tenants = await store.tenantsOfSession(sessionId, signal);
  const [only = ""] = tenants;
  if (tenants.length > 1) throw ambiguous("session", sessionId, tenants);
  return { tenant: only, sessionId };
}

function ambiguous(what: "trace" | "session", id: string, tenants: readonly string[]): ApiError {
  return new ApiError(
    `ambiguous_${what}`,
    `${tenants.length} tenants have a ${what} ${shownId(id)}: name one of them in the parameter tenant.`,
    { count: tenants.length, tenants: tenants.slice(0, MAX_NAMED) },
  );
}
