import { createStore } from "zustand/vanilla";
import type { CollectorApi } from "../api/collector-api.js";
import { createRemoteData, type StoreClock } from "./remote-data.js";

/** The configured thresholds of scores. */
export interface ThresholdsState {
  /** By the name of the evaluation type. A type without one has the default of its direction. */
  readonly byType: Thresholds;
}

/** By the name of the evaluation type. */
export type Thresholds = ReadonlyMap<string, number>;

export interface ThresholdsActions {
  load(): Promise<void>;
}

/** `evaluation.thresholds`, by which scores are coloured. */
export function createThresholdsStore(api: Pick<CollectorApi, "getConfig">, clock: StoreClock = {}) {
  return createStore<ThresholdsState & ThresholdsActions>()((set) => {
    const data = createRemoteData({
      fetch: (signal) => api.getConfig(signal),
      onData: ({ config }) => set({ byType: readThresholds(config["evaluation.thresholds"]?.value) }),
      // Without them, the defaults apply.
      onError: () => undefined,
      refresh: { intervalMs: 1000, restFactor: 1 },
      ...clock,
    });
    return { byType: new Map(), load: () => data.load() };
  });
}
export type ThresholdsStore = ReturnType<typeof createThresholdsStore>;

function readThresholds(value: unknown): Thresholds {
  if (typeof value !== "object" || value === null) return new Map();
  return new Map(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
