/** A process that imports the SDK's core and says how long that took. */
const startMs = performance.now();
await import("@obspan/sdk");
process.send?.(performance.now() - startMs);
