import { randomHex } from "../platform/random-hex.js";

/*
 * Random ids in lower-case hexadecimal, the form of W3C trace context. They are cut from one long string: a call of the
 * random source for every span would cost more than the rest of the span. The pool is module state on purpose: ids have no
 * owner, and every span takes one.
 */
let pool = "";
let used = 0;

/** 16 random bytes. */
export function newTraceId(): string {
  return take(32);
}

/** 8 random bytes. */
export function newSpanId(): string {
  return take(16);
}

function take(length: number): string {
  if (used + length > pool.length) {
    pool = randomHex();
    used = 0;
  }
  return pool.slice(used, (used += length));
}
