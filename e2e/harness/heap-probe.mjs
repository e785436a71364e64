/** Loaded into a collector with --expose-gc: with each SIGUSR2 it says on stderr what is left after a garbage collection. */
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.stderr.write(`Memory: ${JSON.stringify({ heapUsed, rss })}\n`);
});
