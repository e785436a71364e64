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
