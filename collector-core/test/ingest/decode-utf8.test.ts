import { describe, expect, it } from "vitest";
import { decodeLargeBody, decodeUtf8, isLargeBody } from "../../src/ingest/decode-utf8.js";
import { errorOf, span, startCollector } from "../running-collector.js";

/** A clock that moves a whole time slice between two reads. */
function fastClock() {
  let nowMs = 0;
  return { monotonic: () => (nowMs += 10) };
}

/** Counts the turns of the event loop until a promise settles. */
async function turnsUntil(promise: Promise<unknown>): Promise<number> {
  const turns = { count: 0, isOver: false };
  void promise.finally(() => (turns.isOver = true));
  while (!turns.isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    turns.count++;
  }
  return turns.count;
}

const TEXT = "a\u00e9\u6f22\u{1f600}".repeat(600_000);

describe("a large body", () => {
  it("is decoded over several turns of the event loop, at any character boundary", async () => {
    for (const before of ["", "x", "xy", "xyz"]) {
      const body = Buffer.from(before + TEXT);
      expect(isLargeBody(body)).toBe(true);
      const decoded = decodeLargeBody(body, fastClock());
      expect(await turnsUntil(decoded)).toBeGreaterThanOrEqual(10);
      expect((await decoded) === decodeUtf8(body)).toBe(true);
    }
  });

  it("of ASCII is decoded at once", async () => {
    const body = Buffer.from("x".repeat(6_000_000));
    expect(await turnsUntil(decodeLargeBody(body, fastClock()))).toBe(1);
  });

  it("of invalid UTF-8 is refused", async () => {
    const cut = Buffer.from(TEXT).subarray(0, -1);
    await expect(decodeLargeBody(cut, fastClock())).rejects.toMatchObject({ code: "invalid_encoding" });
  });

  it("of POST /v1/telemetry is stored as it was sent, and refused if it is invalid UTF-8", async () => {
    const { post, get, settled } = await startCollector();
    const sent = { spans: [span({ trace_id: "large", span_id: "s", attributes: { text: TEXT } })] };
    expect((await post(sent)).status).toBe(202);
    await settled();
    const stored = await get<{ attributes: { text: string } }>("/v1/traces/large/spans/s");
    expect(stored.attributes.text === TEXT).toBe(true);

    const cut = Buffer.from(JSON.stringify(sent));
    cut[cut.lastIndexOf(0x9f)] = 0x20;
    expect(await errorOf(await post(cut))).toMatchObject({ status: 400, code: "invalid_encoding" });
  });
});
