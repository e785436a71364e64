/** Whether a time is today, in the local time zone. */
export function isToday(rfc3339: string, now = new Date()): boolean {
  return new Date(rfc3339).toDateString() === now.toDateString();
}
