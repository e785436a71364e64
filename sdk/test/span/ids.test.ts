import { describe, expect, it, onTestFinished, vi } from "vitest";
import { recordingSdk } from "../fresh-sdk.js";

describe("ids", () => {
  it.each([
    ["has no global crypto, as in some test environments", undefined],
    [
      "has the crypto of another realm, which does not accept a Buffer",
      {
        getRandomValues() {
          throw new TypeError("not a typed array");
        },
      },
    ],
  ])("are random hexadecimal texts in a process that %s", async (_, crypto) => {
    vi.stubGlobal("crypto", crypto);
    onTestFinished(() => void vi.unstubAllGlobals());
    const { observe, takeSpans } = await recordingSdk();
    for (let index = 0; index < 1000; index++) observe("one", () => index);
    const spans = takeSpans();
    expect(spans.every(({ span_id }) => /^[\da-f]{16}$/.test(span_id ?? ""))).toBe(true);
    expect(spans.every(({ trace_id }) => /^[\da-f]{32}$/.test(trace_id))).toBe(true);
    expect(new Set(spans.map(({ span_id }) => span_id)).size).toBe(1000);
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1000);
  });
});
