/** A process that imports the SDK's core and reports the time. */
const startMs = performance.now();
await import("@obspan/sdk");
process.send?.(performance.now() - startMs);
