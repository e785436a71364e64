const said = new Set<string>();

/** Warns whoever runs the app. Never throws, and never quotes what spans carry. */
export function warn(message: string): void {
  say(message, "warn");
}

/** Says something to whoever runs the app. Never throws: a broken console is no reason to disturb it. */
export function say(message: string, level: "info" | "warn" = "info"): void {
  try {
    console[level](`[obspan] ${message}`);
  } catch {
    // Nobody can be told.
  }
}

/** {@link warn}, once in the life of the process for each topic. */
export function warnOnce(topic: string, message: string): void {
  if (said.has(topic)) return;
  said.add(topic);
  warn(message);
}
