/**
 * Random ids in lower-case hexadecimal, W3C trace context's form. They are cut from one long string: a call into the
 * random source for every span would cost more than the rest of the span.
 */
const POOL_BYTES = 8192;
const bytes = Buffer.allocUnsafe(POOL_BYTES);
let pool = "";
let used = 0;

function take(length: number): string {
  if (used + length > pool.length) {
    fillWithRandom();
    pool = bytes.toString("hex");
    used = 0;
  }
  return pool.slice(used, (used += length));
}

/** From the global `crypto`: it loads in half the time of `node:crypto`. A test's environment may have none, or another's. */
function fillWithRandom(): void {
  try {
    crypto.getRandomValues(bytes);
  } catch {
    process.getBuiltinModule("node:crypto").randomFillSync(bytes);
  }
}

/** 16 random bytes. */
export function newTraceId(): string {
  return take(32);
}

/** 8 random bytes. */
export function newSpanId(): string {
  return take(16);
}
