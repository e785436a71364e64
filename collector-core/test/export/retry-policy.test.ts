import { describe, expect, it } from "vitest";
import { backoffMs, isRetryable, parseRetryAfter } from "../../src/export/retry-policy.js";

describe("contract 5 exporter.max_retries: when a batch is sent again", () => {
  it("waits 1 s, doubling to 30 s, with up to 20 % jitter", () => {
    expect([0, 1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(attempt, undefined, 0))).toEqual([
      1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
    ]);
    expect(backoffMs(0, undefined, 1)).toBe(1200);
  });

  it("waits for Retry-After when that is longer than the backoff", () => {
    expect(backoffMs(0, 7000, 0)).toBe(7000);
    expect(backoffMs(3, 7000, 0)).toBe(8000);
  });

  it("retries only the status codes that OTLP defines as retryable", () => {
    const retried = Array.from({ length: 600 }, (_, code) => code).filter(isRetryable);
    expect(retried).toEqual([429, 502, 503, 504]);
  });

  const nowMs = Date.UTC(2026, 10, 21, 12);
  it.each([
    [null, undefined],
    ["5", 5000],
    [" 5 ", 5000],
    ["0", undefined],
    ["-1", undefined],
    ["1e12", undefined],
    ["1000000000000", 300_000],
    ["soon", undefined],
    ["", undefined],
    ["Sat, 21 Nov 2026 12:00:30 GMT", 30_000],
    ["Sat, 21 Nov 2026 11:00:00 GMT", undefined],
    ["Sat, 21 Nov 2099 11:00:00 GMT", 300_000],
  ])("reads Retry-After %j as %j ms", (header, expected) => {
    expect(parseRetryAfter(header, nowMs)).toBe(expected);
  });
});
