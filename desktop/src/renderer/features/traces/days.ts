/** True for a moment of the present day, in the reader's time zone. */
export function isToday(rfc3339: string, now = new Date()): boolean {
  return new Date(rfc3339).toDateString() === now.toDateString();
}
