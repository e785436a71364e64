import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DamageError } from "../../../../src/store/sqlite/records/sealed.js";
import {
  chunksOf,
  decodePlaces,
  encodePlaces,
  type PlacedSpan,
} from "../../../../src/store/sqlite/engine/span-places.js";

const position = fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 2 ** 40 }));
const span = fc.record({
  chunk: position,
  ordinal: position,
  idHash: fc.integer(),
  isWrapper: fc.boolean(),
  seenMs: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
});
const chain = fc.array(fc.tuple(span, fc.integer({ min: 1, max: 5 })), { maxLength: 40 }).map((spans) => {
  let arrival = -1;
  return spans.map(([place, step]): PlacedSpan => ({ ...place, arrival: (arrival += step) }));
});
const ascending = fc.uniqueArray(position).map((chunks) => chunks.sort((a, b) => a - b));

describe("places of the spans of a trace", () => {
  it("are read as they were written", () => {
    fc.assert(
      fc.property(position, chain, chain, ascending, (arrivals, spans, evaluations, staleChunks) => {
        const places = { arrivals, spans, evaluations, staleChunks };
        expect(decodePlaces(encodePlaces(places))).toEqual(places);
      }),
    );
  });

  it("take five bytes for each span of a batch", () => {
    const spans = Array.from({ length: 1000 }, (_, index) => ({
      chunk: 700_000,
      ordinal: 12 + index,
      arrival: index,
      idHash: index * 7919,
      isWrapper: false,
      seenMs: undefined,
    }));
    expect(encodePlaces({ arrivals: 1000, spans, evaluations: [], staleChunks: [] }).length).toBeLessThan(
      5020,
    );
  });

  it("are refused if they are cut off or changed", () => {
    const places = { chunk: 1, ordinal: 2, arrival: 0, idHash: 3, isWrapper: true, seenMs: 4.5 };
    const bytes = encodePlaces({ arrivals: 1, spans: [places], evaluations: [], staleChunks: [9] });
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodePlaces(bytes.subarray(0, length))).toThrow(DamageError);
    expect(() => decodePlaces(Uint8Array.of(9, ...bytes.subarray(1)))).toThrow("checksum");
  });

  it("name the chunks of stored spans once", () => {
    const place = (chunk: number, arrival: number): PlacedSpan => ({
      chunk,
      ordinal: 0,
      arrival,
      idHash: 0,
      isWrapper: false,
      seenMs: undefined,
    });
    expect([...chunksOf({ spans: [place(1, 0), place(1, 1)], evaluations: [place(4, 2)] })]).toEqual([1, 4]);
  });
});
