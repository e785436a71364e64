import { expect, it } from "vitest";
import { ChunkWriter } from "../../../../src/store/sqlite/engine/chunk-writer.js";
import { decodeChunk } from "../../../../src/store/sqlite/records/chunk-codec.js";

it("has a chunk compressed and signed when an append fills it, so that a commit only writes", () => {
  const writer = new ChunkWriter(7);
  const records = Array.from({ length: 5 }, (_, n) => Buffer.alloc(20_000, `record ${n} `));
  for (const [n, record] of records.entries()) writer.add(record, 2, n, 1000 + n);
  const [closed, ...others] = writer.closed;
  expect(others).toEqual([]);
  expect(closed).toMatchObject({ id: 7, spans: 6, lastMs: 1002, lastSequence: 3 });
  const { encoded, signature } = closed ?? {};
  expect(decodeChunk(encoded?.codec ?? 0, encoded?.checksum ?? 0, encoded?.data ?? Buffer.alloc(0))).toEqual(
    Buffer.concat(records.slice(0, 3)),
  );
  expect(signature?.length).toBeGreaterThan(0);
  expect(writer.position).toEqual({ chunk: 8, bytes: 40_000 });
});
