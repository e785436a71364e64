import type { StatsFigures } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { CollectorApi } from "../api/collector-api.js";
import { createRemoteData, type StoreClock } from "./remote-data.js";

/** The calls of a tool or a model in all runs. */
export interface ElsewhereQuery {
  readonly by: "tool_name" | "model";
  readonly value: string;
  readonly tenant: string;
}

export interface ElsewhereState {
  /** What was asked for. */
  readonly query: ElsewhereQuery | undefined;
  /** The last hour; undefined until the answer arrives, and if there is none. */
  readonly figures: StatsFigures | undefined;
  open(query: ElsewhereQuery): Promise<void>;
}
export type ElsewhereStore = ReturnType<typeof createElsewhereStore>;

export interface ElsewhereStoreOptions extends StoreClock {
  readonly api: Pick<CollectorApi, "getStats">;
}

/** How a tool or a model does in general, beside how it did in one run. */
export function createElsewhereStore({ api, ...clock }: ElsewhereStoreOptions) {
  return createStore<ElsewhereState>()((set, get) => {
    const data = createRemoteData({
      async fetch(signal) {
        const { query } = get();
        if (query === undefined) return undefined;
        const { by, value, tenant } = query;
        return await api.getStats(
          {
            window: "1h",
            step: "1h",
            span_type: by === "model" ? "llm" : "tool",
            [by]: value,
            ...(tenant !== "" && { tenant }),
          },
          signal,
        );
      },
      onData: (stats) => set({ figures: stats?.total.window }),
      // The section is missing: the run is all there.
      onError: () => set({ figures: undefined }),
      refresh: { intervalMs: 1000, restFactor: 4 },
      ...clock,
    });
    return {
      query: undefined,
      figures: undefined,
      async open(query) {
        const known = get().query;
        const isSame = known?.by === query.by && known.value === query.value && known.tenant === query.tenant;
        set({ query, ...(isSame ? {} : { figures: undefined }) });
        await data.load();
      },
    };
  });
}
