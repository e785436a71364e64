import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  DEFAULT_STATE,
  readWindowState,
  fitToDisplays,
  writeWindowState,
} from "../../src/main/window-state.js";

const LAPTOP = { x: 0, y: 25, width: 1440, height: 875 };
const BESIDE = { x: 1440, y: 0, width: 2560, height: 1400 };

function stateFile(): string {
  const directory = mkdtempSync(join(tmpdir(), "obspan-state-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, "window-state.json");
}

test("a state round-trips", () => {
  const file = stateFile();
  const state = { x: 10, y: 30, width: 1000, height: 700, maximized: true };
  expect(writeWindowState(file, state)).toBeUndefined();
  expect(readWindowState(file)).toEqual(state);
});

test.each(["", "{", "null", '{"width":"wide"}', '{"width":-1,"height":5,"maximized":false}'])(
  "a file that holds %j counts as none",
  (text) => {
    const file = stateFile();
    writeFileSync(file, text);
    expect(readWindowState(file)).toEqual(DEFAULT_STATE);
  },
);

test("a failure to write is returned, not thrown", () => {
  expect(writeWindowState("/nowhere/window-state.json", DEFAULT_STATE)).toContain("ENOENT");
});

test("a window keeps its position while a display shows it", () => {
  const state = { x: 1600, y: 100, width: 1000, height: 700, maximized: false };
  expect(fitToDisplays([LAPTOP, BESIDE], state)).toEqual(state);
});

test("a window whose display is gone is centred, and no larger than the largest display", () => {
  const state = { x: 1600, y: 100, width: 2000, height: 1300, maximized: true };
  expect(fitToDisplays([LAPTOP], state)).toEqual({ width: 1440, height: 875, maximized: true });
});

test("a window keeps its place and size while there is no display", () => {
  const state = { x: 1600, y: 100, width: 2000, height: 1300, maximized: false };
  expect(fitToDisplays([], state)).toEqual(state);
});
