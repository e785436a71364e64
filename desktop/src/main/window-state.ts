import { errorMessage } from "@obspan/collector-core";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";

const WindowStateSchema = Type.Object({
  x: Type.Optional(Type.Integer()),
  y: Type.Optional(Type.Integer()),
  width: Type.Integer({ minimum: 1, maximum: 100_000 }),
  height: Type.Integer({ minimum: 1, maximum: 100_000 }),
  maximized: Type.Boolean(),
});

/** Position and size of a window that is not maximised. Centred without x and y. */
export type WindowState = Static<typeof WindowStateSchema>;

/** The area of a display without taskbar and Dock. */
export interface WorkArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const DEFAULT_STATE: WindowState = { width: 1440, height: 900, maximized: false };
/** Part of a window that must be on a display for the user to reach it. */
const REACHABLE_PX = 80;

/** Reads the stored state; the default if it is missing or invalid. */
export function readWindowState(file: string): WindowState {
  try {
    const state: unknown = JSON.parse(readFileSync(file, "utf8"));
    return Value.Check(WindowStateSchema, state)
      ? (Value.Clean(WindowStateSchema, state) as WindowState)
      : DEFAULT_STATE;
  } catch {
    return DEFAULT_STATE;
  }
}

/** @returns the error message: a failure must not keep the window open. */
export function writeWindowState(file: string, state: WindowState): string | undefined {
  try {
    // Whole or not at all, and at once: the window closes.
    const fresh = `${file}.new`;
    writeFileSync(fresh, JSON.stringify(state), { mode: 0o600 });
    renameSync(fresh, file);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** The state, centred if its display is gone, and no larger than the largest display. */
export function fitToDisplays(workAreas: readonly WorkArea[], state: WindowState): WindowState {
  // Without a display there is nothing to fit to, and the next one asks again.
  if (workAreas.length === 0) return state;
  const width = Math.min(state.width, Math.max(...workAreas.map((area) => area.width)));
  const height = Math.min(state.height, Math.max(...workAreas.map((area) => area.height)));
  const { x, y, maximized } = state;
  if (x === undefined || y === undefined) return { width, height, maximized };
  const isReachable = workAreas.some(
    (area) =>
      x + width >= area.x + REACHABLE_PX &&
      x <= area.x + area.width - REACHABLE_PX &&
      y >= area.y &&
      y <= area.y + area.height - REACHABLE_PX,
  );
  return isReachable ? { x, y, width, height, maximized } : { width, height, maximized };
}
