/** The name of a file with one trace or one session, valid on every file system. */
export function sharedFileName(what: "trace" | "session", id: string, ending: string): string {
  return `obspan-${what}-${id.replace(/[^\w-]+/g, "_").slice(0, 64)}.${ending}`;
}
