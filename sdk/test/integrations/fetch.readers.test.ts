import { describe, expect, it } from "vitest";
import { EventStreamReader } from "../../src/integrations/fetch/event-stream-reader.js";
import { LineReader } from "../../src/integrations/fetch/line-reader.js";

/** A message of `application/vnd.amazon.eventstream`. Its checksums are not read. */
function message(type: string, payload: string): Uint8Array {
  const name = ":event-type";
  const header = Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7, type.length >> 8, type.length & 255]),
    Buffer.from(type),
  ]);
  const body = Buffer.from(payload);
  const bytes = Buffer.alloc(12 + header.length + body.length + 4);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(header.length, 4);
  header.copy(bytes, 12);
  body.copy(bytes, 12 + header.length);
  return bytes;
}

function readInPieces(bytes: Uint8Array, size: number, read: (piece: Uint8Array) => void): void {
  for (let at = 0; at < bytes.length; at += size) read(bytes.slice(at, at + size));
}

describe("the readers of streams of fetch", () => {
  it.each([1, 7, 4096])("read messages of AWS in pieces of %i bytes", (size) => {
    const events: unknown[] = [];
    const reader = new EventStreamReader((event) => void events.push(event));
    const inner = Buffer.from('{"text":"é"}').toString("base64");
    const bytes = Buffer.concat([
      message("contentBlockDelta", '{"delta":{"text":"é"}}'),
      message("chunk", `{"bytes":"${inner}"}`),
    ]);
    readInPieces(bytes, size, (piece) => reader.read(piece));
    reader.finish();
    expect(events).toEqual([{ contentBlockDelta: { delta: { text: "é" } } }, { text: "é" }]);
  });

  it.each([1, 7, 4096])("read lines of JSON in pieces of %i bytes", (size) => {
    const lines: string[] = [];
    const reader = new LineReader((line) => void lines.push(line));
    readInPieces(Buffer.from('{"a":"é"}\r\n\n{"b":2}'), size, (piece) => reader.read(piece));
    reader.finish();
    expect(lines).toEqual(['{"a":"é"}', '{"b":2}']);
  });

  it("read a long message in time that grows with its length", () => {
    const events: unknown[] = [];
    const reader = new EventStreamReader((event) => void events.push(event));
    const lines: string[] = [];
    const lineReader = new LineReader((line) => void lines.push(line));
    const text = "x".repeat(4_000_000);
    const before = process.cpuUsage();
    readInPieces(message("delta", JSON.stringify(text)), 40, (piece) => reader.read(piece));
    readInPieces(Buffer.from(`${text}\n`), 40, (piece) => lineReader.read(piece));
    expect(events).toEqual([{ delta: text }]);
    expect(lines).toEqual([text]);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
  });

  it("give up on bytes that are no message", () => {
    const reader = new EventStreamReader(() => {
      throw new Error("must not be called");
    });
    reader.read(Buffer.alloc(100, 255));
    reader.read(Buffer.alloc(100, 255));
    reader.finish();
  });

  it("leave out a line that is too long, and read the next one", () => {
    const lines: string[] = [];
    const reader = new LineReader((line) => void lines.push(line));
    const piece = new Uint8Array(2 ** 20).fill(97);
    for (let count = 0; count <= 17; count++) reader.read(piece);
    reader.read(Buffer.from('\n{"a":1}\n'));
    expect(lines).toEqual(['{"a":1}']);
  });
});
