/** A process that reports the time since its start, and its CPU time: with and without `--import @obspan/sdk/register`. */
const wallMs = performance.now();
const { user, system } = process.cpuUsage();
process.send?.({ wallMs, cpuMs: (user + system) / 1000 });
process.exit();
