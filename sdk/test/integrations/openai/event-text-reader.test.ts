import fc from "fast-check";
import { expect, it } from "vitest";
import { SseReader } from "../../../src/integrations/model-client/sse-reader.js";
import { filterSse } from "../../../src/integrations/model-client/sse-filter.js";

const LINE_BREAKS = ["\n", "\r\n"] as const;

/** The bytes in pieces, cut at these places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
}

const data = fc
  .string({ unit: "grapheme", minLength: 1 })
  .filter((text) => !/[\r\n]/.test(text) && text !== "[DONE]");

it("reads the same events wherever the bytes are cut, with either line break", () => {
  fc.assert(
    fc.property(
      fc.array(data),
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
        for (const piece of cut(Buffer.from(text), places)) reader.read(piece);
        reader.finish();
        expect(read).toEqual(events);
      },
    ),
  );
});

it("leaves events out, and all else byte for byte", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ text: data, isKept: fc.boolean() })),
      fc.constantFrom(...LINE_BREAKS),
      fc.array(fc.nat(), { maxLength: 6 }),
      async (events, lineBreak, places) => {
        const toText = (text: string, isKept: boolean): string =>
          `data: ${isKept ? "kept" : "left out"} ${text}${lineBreak}${lineBreak}`;
        const all = Buffer.from(events.map(({ text, isKept }) => toText(text, isKept)).join(""));
        const source = ReadableStream.from(cut(all, places));
        const result = filterSse(source, (text) => text.startsWith("left out"));
        const kept = events.filter(({ isKept }) => isKept).map(({ text }) => toText(text, true));
        expect(await new Response(result).text()).toBe(kept.join(""));
      },
    ),
  );
});
