import { expect, it } from "vitest";
import { RunningTexts } from "../../src/query/running-texts.js";
import { TextReaders } from "../../src/query/text-readers.js";
import { countTurns, everLater } from "../runtime/loop-turns.js";

const KEY = { tenant: "", traceId: "t", receivedAtMs: 0 };
const LIMITS = { maxSpans: 10_000, maxBytes: 1e9, maxTextsPerTrace: 10_000, maxSilenceMs: 1e9 };

/** @param clock - default: time stands still, and no work has a cost. */
function create(spans: number, length: number, clock = { monotonic: () => 0 }, idLength = 0) {
  const texts = new RunningTexts(LIMITS, () => 0);
  const idOf = (index: number): string => `s${index}`.padEnd(idLength, "é");
  for (let index = 0; index < spans; index++) texts.start(KEY, idOf(index));
  const put = (index: number, text: string, onRead: () => unknown = () => undefined): void =>
    texts.put({
      ...KEY,
      spanId: idOf(index),
      bytes: text.length * 2,
      text: () => {
        onRead();
        return text;
      },
    });
  for (let index = 0; index < spans; index++) put(index, `${index} `.padEnd(length, "."));
  return { put, readers: new TextReaders(texts, clock) };
}

function createReader() {
  const state = { written: "", isBehind: false, isAllowed: true, isEnded: false };
  const updates: Uint8Array[] = [];
  const reader = {
    write(text: string | Uint8Array) {
      if (typeof text !== "string") updates.push(text);
      state.written += Buffer.from(text).toString();
    },
    isBehind: () => state.isBehind,
    isAllowed: () => state.isAllowed,
    end: () => void (state.isEnded = true),
  };
  const shown = (): string[] =>
    [...state.written.matchAll(/"completion_partial":"([^".]*)/g)].map(([, text = ""]) => text);
  return { state, reader, updates, shown };
}

it("sends many texts of a trace in several updates of a bounded size", async () => {
  const { readers } = create(200, 8000);
  const { reader, updates, shown } = createReader();
  readers.connect(reader, "t");
  await sendUntil(readers, () => shown().length === 200);
  expect(updates.length).toBeGreaterThan(4);
  expect(Math.max(...updates.map(({ length }) => length))).toBeLessThanOrEqual(256 * 1024);
  expect(new Set(shown()).size).toBe(200);
  const sent = updates.length;
  await readers.send();
  expect(updates).toHaveLength(sent);
});

it("counts the ids in the size of an update", async () => {
  const { readers } = create(2000, 1, undefined, 500);
  const { reader, updates, shown } = createReader();
  readers.connect(reader, "t");
  await sendUntil(readers, () => shown().length === 2000);
  expect(Math.max(...updates.map(({ length }) => length))).toBeLessThanOrEqual(256 * 1024);
});

it("redacts and encodes a text once, and all readers share its bytes", async () => {
  const { put, readers } = create(3, 20);
  let reads = 0;
  put(1, "again ", () => reads++);
  const all = Array.from({ length: 50 }, createReader);
  for (const { reader } of all) readers.connect(reader, "t");
  await sendUntil(readers, () => all.every(({ shown }) => shown().length === 3));
  put(1, "later ", () => reads++);
  await readers.send();
  expect(reads).toBe(2);
  expect(new Set(all.map(({ updates }) => updates.at(-1))).size).toBe(1);
  expect(all.map(({ shown }) => shown().at(-1))).toEqual(all.map(() => "later "));
});

it("yields to the event loop between readers", async () => {
  const { readers } = create(1, 20, everLater());
  const all = Array.from({ length: 100 }, createReader);
  for (const { reader } of all) readers.connect(reader, "t");
  const turns = countTurns();
  await sendUntil(readers, () => all.every(({ shown }) => shown().length === 1));
  expect(turns.end()).toBeGreaterThan(100);
});

it("bounds the time that a round redacts, serves every reader in turn and sends nothing unredacted", async () => {
  const clock = { nowMs: 0, monotonic: () => clock.nowMs };
  const texts = new RunningTexts(LIMITS, () => 0);
  const readers = new TextReaders(texts, clock);
  const traces = Array.from({ length: 20 }, (_, index) => `t${index}`);
  const put = (): void => {
    for (const traceId of traces)
      for (let span = 0; span < 10; span++) {
        const text = (): string => {
          clock.nowMs += 7;
          return "redacted ";
        };
        texts.put({ tenant: "", traceId, spanId: `s${span}`, bytes: 10, text });
      }
  };
  for (const traceId of traces)
    for (let span = 0; span < 10; span++) texts.start({ ...KEY, traceId }, `s${span}`);
  const all = traces.map((traceId) => ({ traceId, ...createReader() }));
  for (const { reader, traceId } of all) readers.connect(reader, traceId);
  await readers.send();
  let longest = 0;
  for (let round = 0; round < 10; round++) {
    // A sender that replaces each text before it was sent takes no turn of another.
    put();
    const beganMs = clock.nowMs;
    await readers.send();
    longest = Math.max(longest, clock.nowMs - beganMs);
  }
  expect(longest).toBeLessThan(60);
  expect(all.filter(({ shown }) => shown().length === 0)).toEqual([]);
  await sendUntil(readers, () => all.every(({ shown }) => shown().length >= 10));
  expect(new Set(all.flatMap(({ shown }) => shown()))).toEqual(new Set(["redacted "]));
});

it("sends a reader that was behind the latest texts only", async () => {
  const { put, readers } = create(2, 20);
  const { state, reader, shown } = createReader();
  const leave = readers.connect(reader, "t");
  await sendUntil(readers, () => shown().length === 2);
  expect(shown()).toEqual(["0 ", "1 "]);
  state.isBehind = true;
  for (let round = 0; round < 1000; round++) {
    put(1, `round ${round} `);
    await readers.send();
  }
  state.isBehind = false;
  await readers.send();
  expect(shown()).toEqual(["0 ", "1 ", "round 999 "]);
  leave();
  put(1, "after ");
  await readers.send();
  expect(shown()).toHaveLength(3);
});

it("ends a reader whose session has ended, and all readers at the stop", async () => {
  const { put, readers } = create(1, 20);
  const [first, second] = [createReader(), createReader()];
  readers.connect(first.reader, "t");
  readers.connect(second.reader, "t");
  await sendUntil(readers, () => second.shown().length === 1);
  first.state.isAllowed = false;
  readers.check();
  put(0, "later ");
  await readers.send();
  expect([first.state.isEnded, first.shown()]).toEqual([true, ["0 "]]);
  expect(second.shown()).toEqual(["0 ", "later "]);
  readers.stop();
  expect(second.state.isEnded).toBe(true);
});

/** A call during a round, such as the one at a connect, does nothing. */
async function sendUntil(readers: TextReaders, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await readers.send();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
