import fc from "fast-check";
import { expect, it } from "vitest";
import { SseReader } from "../../../src/integrations/model-client/sse-reader.js";
import { cutBytes, eventData, LINE_BREAKS } from "./cut-bytes.js";

it("reads the same events wherever the bytes are cut, with both line breaks", () => {
  fc.assert(
    fc.property(
      fc.array(eventData),
      fc.constantFrom(...LINE_BREAKS),
      fc.array(fc.nat()),
      fc.boolean(),
      (events, lineBreak, places, isEndMissing) => {
        const text = [
          ": a comment",
          "",
          ...events.flatMap((event) => ["event: chunk", `data: ${event}`, ""]),
          "data: [DONE]",
        ]
          .join(lineBreak)
          .concat(isEndMissing ? "" : lineBreak + lineBreak);
        const read: string[] = [];
        const reader = new SseReader((event) => void read.push(event));
        for (const piece of cutBytes(Buffer.from(text), places)) reader.read(piece);
        reader.finish();
        expect(read).toEqual(events);
      },
    ),
  );
});

it("reads an event of 4 MB that arrives in pieces of 40 bytes within a second or two", () => {
  const data: string[] = [];
  const reader = new SseReader((text) => void data.push(text));
  const bytes = new TextEncoder().encode(`data: ${"x".repeat(4_000_000)}\r\n\r\n`);
  const before = process.cpuUsage();
  for (let at = 0; at < bytes.length; at += 40) reader.read(bytes.subarray(at, at + 40));
  expect(data).toEqual(["x".repeat(4_000_000)]);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
});

it.each(["x", "data: 789012345\n", "data:67\n"])("stops at an event of %j that never ends", (piece) => {
  const data: string[] = [];
  const reader = new SseReader((text) => void data.push(text));
  const read = (text: string): void => reader.read(new TextEncoder().encode(text));
  read("data: 1\n\ndata: ");
  // Twice the bound.
  for (let count = 0; count < 32; count++) read(piece.repeat(2 ** 20 / piece.length));
  read("\n\ndata: 2\n\n");
  reader.finish();
  expect(data).toHaveLength(2);
  expect(data[0]).toBe("1");
  expect(data[1]?.length).toBeLessThan(18 * 2 ** 20);
});
