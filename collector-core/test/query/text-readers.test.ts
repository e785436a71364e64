import { expect, it } from "vitest";
import { RunningTexts } from "../../src/query/running-texts.js";
import { TextReaders } from "../../src/query/text-readers.js";

const KEY = { tenant: "", traceId: "t" };

function create(spans: number, length: number) {
  const texts = new RunningTexts({ maxSpans: 10_000, maxBytes: 1e9, maxSilenceMs: 1e9 }, () => 0);
  for (let index = 0; index < spans; index++) texts.start(KEY, `s${index}`);
  const put = (index: number, text: string): void =>
    texts.put({ ...KEY, spanId: `s${index}`, bytes: text.length * 2, text: () => text });
  for (let index = 0; index < spans; index++) put(index, `${index} `.padEnd(length, "."));
  return { put, readers: new TextReaders(texts) };
}

function createReader() {
  const state = { written: "", isBehind: false, isAllowed: true, isEnded: false };
  const reader = {
    write: (text: string | Uint8Array) => void (state.written += text.toString()),
    isBehind: () => state.isBehind,
    isAllowed: () => state.isAllowed,
    end: () => void (state.isEnded = true),
  };
  const shown = (): string[] =>
    [...state.written.matchAll(/"completion_partial":"([^".]*)/g)].map(([, text = ""]) => text);
  return { state, reader, shown };
}

it("sends many texts of a trace in several updates of a bounded size", () => {
  const { readers } = create(200, 8000);
  const { state, reader, shown } = createReader();
  readers.connect(reader, "t");
  const sizes: number[] = [];
  while (shown().length < 200) {
    sizes.push(state.written.length);
    readers.send();
  }
  expect(sizes.length).toBeGreaterThan(4);
  expect(Math.max(...sizes.map((size, index) => size - (sizes[index - 1] ?? 0)))).toBeLessThan(300_000);
  expect(new Set(shown()).size).toBe(200);
  const { length } = state.written;
  readers.send();
  expect(state.written).toHaveLength(length);
});

it("sends a reader that was behind the latest texts only", () => {
  const { put, readers } = create(2, 20);
  const { state, reader, shown } = createReader();
  const leave = readers.connect(reader, "t");
  expect(shown()).toEqual(["0 ", "1 "]);
  state.isBehind = true;
  for (let round = 0; round < 1000; round++) {
    put(1, `round ${round} `);
    readers.send();
  }
  state.isBehind = false;
  readers.send();
  expect(shown()).toEqual(["0 ", "1 ", "round 999 "]);
  leave();
  put(1, "after ");
  readers.send();
  expect(shown()).toHaveLength(3);
});

it("ends a reader whose session has ended, and all readers at the stop", () => {
  const { put, readers } = create(1, 20);
  const [first, second] = [createReader(), createReader()];
  readers.connect(first.reader, "t");
  readers.connect(second.reader, "t");
  first.state.isAllowed = false;
  readers.check();
  put(0, "later ");
  readers.send();
  expect([first.state.isEnded, first.shown()]).toEqual([true, ["0 "]]);
  expect(second.shown()).toEqual(["0 ", "later "]);
  readers.stop();
  expect(second.state.isEnded).toBe(true);
});
