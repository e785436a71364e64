/**
 * The address of the page of a trace at a collector. An id of dots is in the query: as a part of a path it would name a folder. An
 * id may have half a surrogate pair, which no address can have.
 *
 * @param url - base address of the collector.
 */
export function traceAddress(url: string, traceId: string, tenant?: string): string {
  const isDots = traceId === "." || traceId === "..";
  const query = new URLSearchParams({
    ...(isDots && { trace_id: traceId }),
    ...(tenant !== undefined && { tenant }),
  }).toString();
  const name = isDots ? "by-id" : encodeURIComponent(traceId.toWellFormed());
  return `${url}/traces/${name}${query === "" ? "" : `?${query}`}`;
}
