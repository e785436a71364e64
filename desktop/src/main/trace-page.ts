/** Which trace; without a tenant, the page finds the only one of that id. */
export interface TracePageKey {
  readonly traceId: string;
  readonly tenant?: string;
}

/** Path of a trace's page. Any URL parser removes `.` and `..` from a path, so that such ids are in the query. */
export function tracePagePath({ traceId, tenant = "" }: TracePageKey): string {
  const query = new URLSearchParams(tenant === "" ? {} : { tenant });
  const isDots = traceId === "." || traceId === "..";
  if (isDots) query.set("trace_id", traceId);
  const id = isDots ? "by-id" : encodeURIComponent(traceId.toWellFormed());
  return `/traces/${id}${query.size === 0 ? "" : `?${query.toString()}`}`;
}

/** The trace whose page has this URL; undefined for other pages. */
export function traceOfPage(url: string): TracePageKey | undefined {
  try {
    const { pathname, searchParams } = new URL(url);
    const id = /^\/traces\/([^/]+)$/.exec(pathname)?.[1];
    if (id === undefined) return undefined;
    const traceId = (id === "by-id" ? searchParams.get("trace_id") : null) ?? decodeURIComponent(id);
    return { traceId, tenant: searchParams.get("tenant") ?? "" };
  } catch {
    return undefined; // no URL, or not an encoded id
  }
}
