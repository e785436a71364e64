import type { TraceSummary } from "@obspan/collector-core/api-schema";

/**
 * The key of a row as one string, because two tenants' equal ids are two traces (contract 3). A tenant has no control
 * characters (contract 4), so a newline separates it from any id. Without a tenant the key is the id itself, because
 * ten thousand rows are looked up several times a second.
 */
export function rowKeyOf({ tenant, trace_id: traceId }: Pick<TraceSummary, "tenant" | "trace_id">): string {
  return tenant === "" && !traceId.includes("\n") ? traceId : `${tenant}\n${traceId}`;
}

/** The trace of a row key. */
export function traceKeyOf(rowKey: string): { tenant: string; traceId: string } {
  const end = rowKey.indexOf("\n");
  if (end === -1) return { tenant: "", traceId: rowKey };
  return { tenant: rowKey.slice(0, end), traceId: rowKey.slice(end + 1) };
}

/** Index of a row; -1 if there is none. */
export function indexOfRow(rows: readonly TraceSummary[], rowKey: string): number {
  const { tenant, traceId } = traceKeyOf(rowKey);
  return rows.findIndex((row) => row.trace_id === traceId && row.tenant === tenant);
}

/** Whether any trace has a tenant: the collector is or was multi-tenant. */
export function haveTenants(traces: readonly Pick<TraceSummary, "tenant">[]): boolean {
  return traces.some(({ tenant }) => tenant !== "");
}
