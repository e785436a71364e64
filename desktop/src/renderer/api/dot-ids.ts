/**
 * True for an id that cannot be a segment of a URL path: browsers resolve `.` and `..` before the request, even if they are
 * percent-encoded.
 */
export function isDots(id: string): boolean {
  return id === "." || id === "..";
}
