import fc from "fast-check";
import { expect, it } from "vitest";
import { filterSse } from "../../../src/integrations/model-client/sse-filter.js";
import { cutBytes, eventData, LINE_BREAKS } from "./cut-bytes.js";

it("removes events, and keeps all other bytes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ text: eventData, isKept: fc.boolean() })),
      fc.constantFrom(...LINE_BREAKS),
      fc.array(fc.nat(), { maxLength: 6 }),
      async (events, lineBreak, places) => {
        const toText = (text: string, isKept: boolean): string =>
          `data: ${isKept ? "kept" : "left out"} ${text}${lineBreak}${lineBreak}`;
        const all = Buffer.from(events.map(({ text, isKept }) => toText(text, isKept)).join(""));
        const source = ReadableStream.from(cutBytes(all, places));
        const result = filterSse(source, (text) => text.startsWith("left out"));
        const kept = events.filter(({ isKept }) => isKept).map(({ text }) => toText(text, true));
        expect(await new Response(result).text()).toBe(kept.join(""));
      },
    ),
  );
});
