/** Preloaded into a collector with --expose-gc: at each SIGUSR2 it logs the heap size after a garbage collection. */
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.stderr.write(`Memory: ${JSON.stringify({ heapUsed, rss })}\n`);
});
