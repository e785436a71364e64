/**
 * True for an id that cannot stand in a path: browsers resolve these segments before the request, even percent-encoded.
 */
export function isDots(id: string): boolean {
  return id === "." || id === "..";
}
