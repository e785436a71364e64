import type { TraceSummary } from "@obspan/collector-core/api-schema";

/**
 * What a row is told by, as one text: two tenants' equal ids are two traces (contract 3). A tenant has no control
 * characters (contract 4), so that its end is plain whatever the id holds. Without a tenant it is the id itself: ten
 * thousand rows are looked up several times a second.
 */
export function rowKeyOf({ tenant, trace_id: traceId }: Pick<TraceSummary, "tenant" | "trace_id">): string {
  return tenant === "" && !traceId.includes("\n") ? traceId : `${tenant}\n${traceId}`;
}

/** The trace that a row's key names. */
export function traceKeyOf(rowKey: string): { tenant: string; traceId: string } {
  const end = rowKey.indexOf("\n");
  if (end === -1) return { tenant: "", traceId: rowKey };
  return { tenant: rowKey.slice(0, end), traceId: rowKey.slice(end + 1) };
}

/** Where a row stands; -1 where there is none of that key. */
export function indexOfRow(rows: readonly TraceSummary[], rowKey: string): number {
  const { tenant, traceId } = traceKeyOf(rowKey);
  return rows.findIndex((row) => row.trace_id === traceId && row.tenant === tenant);
}

/** Whether any trace has a tenant: the collector is, or was, multi-tenant. */
export function haveTenants(traces: readonly Pick<TraceSummary, "tenant">[]): boolean {
  return traces.some(({ tenant }) => tenant !== "");
}
