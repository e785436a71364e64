/** The name of a file with one trace, valid on every file system. */
export function traceFileName(traceId: string, ending: string): string {
  return `obspan-trace-${traceId.replace(/[^\w-]+/g, "_").slice(0, 64)}.${ending}`;
}
