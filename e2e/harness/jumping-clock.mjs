/**
 * Preloaded into a collector. At each SIGUSR2 the wall clock jumps: first an hour ahead of the real time, then an hour behind,
 * and so on. Each jump is logged on stderr.
 */
const HOUR_MS = 3_600_000;
const realNow = Date.now;
let aheadMs = 0;

globalThis.Date = class extends Date {
  constructor(...parts) {
    if (parts.length === 0) super(realNow() + aheadMs);
    else super(...parts);
  }

  static now() {
    return realNow() + aheadMs;
  }
};

process.on("SIGUSR2", () => {
  aheadMs = aheadMs > 0 ? -HOUR_MS : HOUR_MS;
  process.stderr.write(`The clock is ${aheadMs} ms ahead.\n`);
});
