/** True for an id that no path can carry: a browser resolves these segments before it asks, percent-encoded too. */
export function isDots(id: string): boolean {
  return id === "." || id === "..";
}
