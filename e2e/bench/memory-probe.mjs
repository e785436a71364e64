/** Loaded into the collector where memory is measured: says on request how much is left after a garbage collection. */
process.on("message", () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
// Listening must not keep the collector alive.
process.channel?.unref();
