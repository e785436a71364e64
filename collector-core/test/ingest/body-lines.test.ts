import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { bodyLines, type BodyLine } from "../../src/ingest/body-lines.js";

/** Sends a body, and returns what is read of it, and how often others had a turn. */
async function readLines(body: string, { maxLineBytes = 100 } = {}) {
  const lines: BodyLine[] = [];
  let turns = 0;
  const server = createServer((request, response) => {
    const options = {
      maxLineBytes,
      pace: {
        during: <Piece>(piece: Promise<Piece>) => piece,
        progress: () => ({ bytes: 0, waitedMs: 0 }),
        end: () => undefined,
      },
      budget: { require: () => undefined, release: () => undefined },
      timeSlice: { isOver: () => true, next: async () => void turns++ },
    };
    void (async () => {
      for await (const line of bodyLines(request, options)) lines.push(line);
      response.end();
    })();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}`, { method: "POST", body });
  return {
    lines: lines.map((line) => ({ ...line, ...(line.type === "line" && { bytes: String(line.bytes) }) })),
    turns,
  };
}

describe("the lines of a body", () => {
  it("have their numbers, whatever white space is before them", async () => {
    const blank = ["", "\r", " \t\r", "   "];
    const { lines } = await readLines(`${blank.join("\n")}\n a \r\n\n\r\nb`);
    expect(lines).toEqual([
      { type: "line", number: 5, bytes: " a \r" },
      { type: "line", number: 8, bytes: "b" },
    ]);
  });

  it("are too long also if they have white space only, and the next one is not", async () => {
    const { lines } = await readLines(`\n${" ".repeat(101)}\n${" ".repeat(100)}\nx\n${"\t".repeat(200)}`);
    expect(lines).toEqual([
      { type: "too_long", number: 2 },
      { type: "line", number: 4, bytes: "x" },
      { type: "too_long", number: 5 },
    ]);
  });

  it("give others a turn while there are only lines to skip", async () => {
    const { lines, turns } = await readLines("\r\n".repeat(500_000));
    expect(lines).toEqual([]);
    // Node reads at most 64 KiB at once.
    expect(turns).toBeGreaterThan(10);
  });
});
