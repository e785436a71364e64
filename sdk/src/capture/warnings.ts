const said = new Set<string>();

/** Says something to whoever runs the app. Never throws, and never quotes what spans carry. */
export function warn(message: string): void {
  try {
    console.warn(`[obspan] ${message}`);
  } catch {
    // A console that throws is no reason to disturb the app.
  }
}

/** {@link warn}, once in the life of the process for each topic. */
export function warnOnce(topic: string, message: string): void {
  if (said.has(topic)) return;
  said.add(topic);
  warn(message);
}
