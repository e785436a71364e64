/** Topics that were warned about. Module state on purpose: {@link warnOnce} counts in the whole process. */
const warnedTopics = new Set<string>();

/** Warns on the console. Never throws, and must never quote the content of spans. */
export function warn(message: string): void {
  log(message, "warn");
}

/** Writes a message to the console. Never throws: a broken console must not disturb the app. */
export function log(message: string, level: "info" | "warn" = "info"): void {
  try {
    console[level](`[obspan] ${message}`);
  } catch {
    // There is nowhere else to write to.
  }
}

/** {@link warn}, once in the life of the process for each topic. */
export function warnOnce(topic: string, message: string): void {
  if (warnedTopics.has(topic)) return;
  warnedTopics.add(topic);
  warn(message);
}
