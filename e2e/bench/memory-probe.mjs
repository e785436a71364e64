/** Preloaded into the collector for the memory benchmark: reports the memory after a garbage collection on request. */
process.on("message", () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
// Listening must not keep the collector alive.
process.channel?.unref();
