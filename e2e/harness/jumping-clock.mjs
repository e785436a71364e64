/**
 * Loaded into a collector before all else: with each SIGUSR2 its wall clock jumps, an hour ahead of the real one first, then
 * an hour behind it, and so on. It says so on stderr.
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
