import type { SessionSummary } from "@obspan/collector-core/api-schema";

/** The key of a session as one string: two tenants' equal ids are two sessions, and a tenant has no newline. */
export function sessionRowKey({
  tenant,
  session_id: id,
}: Pick<SessionSummary, "tenant" | "session_id">): string {
  return `${tenant}\n${id}`;
}

/** The session of a row key. */
export function sessionKeyOf(rowKey: string): { tenant: string; sessionId: string } {
  const end = rowKey.indexOf("\n");
  return { tenant: rowKey.slice(0, end), sessionId: rowKey.slice(end + 1) };
}
