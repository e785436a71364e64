import fc from "fast-check";
import { expect, it } from "vitest";
import { filterSse, SseFilter } from "../../../src/integrations/model-client/sse-filter.js";
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

it("passes on an event that does not end, and removes later ones", () => {
  const filter = new SseFilter((text) => text === "left out");
  const passed: Uint8Array[] = [];
  const write = (text: string): void => void passed.push(...filter.write(Buffer.from(text)));
  const endless = "data: 3456789\n".repeat(5000);
  for (let count = 0; count < 20; count++) write(endless);
  expect(Buffer.concat(passed).length).toBeGreaterThan(1_000_000);
  write("\ndata: left out\n\ndata: kept\n\n");
  expect(Buffer.concat(passed).toString()).toBe(`${endless.repeat(20)}\ndata: kept\n\n`);
});
