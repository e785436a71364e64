import type { View, ViewContent } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import { asCollectorError, type CollectorApi } from "../api/collector-api.js";
import { createRemoteData, type StoreClock } from "./remote-data.js";

export interface ViewsState {
  /** Undefined until they were fetched. */
  readonly views: readonly View[] | undefined;
  readonly isSaving: boolean;
  /** What the collector last refused, as a sentence. */
  readonly failure: string | undefined;
}

export interface ViewsActions {
  load(): Promise<void>;
  /** Saves a view under a new id, or replaces the one of the same name. */
  save(content: ViewContent): Promise<void>;
  rename(view: View, name: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export interface ViewsStoreOptions extends StoreClock {
  readonly api: Pick<CollectorApi, "getViews" | "putView" | "deleteView">;
  /** Returns a random id of as many bytes, in hexadecimal digits. */
  readonly newId: (bytes: number) => string;
}

const REFRESH = { intervalMs: 1000, restFactor: 5 };
const ID_BYTES = 8;

/** The saved views of the collector. */
export function createViewsStore({ api, newId, schedule, now }: ViewsStoreOptions) {
  return createStore<ViewsState & ViewsActions>()((set, get) => {
    const list = createRemoteData({
      fetch: (signal) => api.getViews(signal),
      onData: ({ views }) => set({ views }),
      onError: ({ message }) => set({ failure: message }),
      refresh: REFRESH,
      schedule,
      now,
    });

    async function change(apply: () => Promise<void>): Promise<void> {
      set({ isSaving: true, failure: undefined });
      try {
        await apply();
        await list.load();
      } catch (error) {
        set({ failure: asCollectorError(error).message });
      }
      set({ isSaving: false });
    }

    return {
      views: undefined,
      isSaving: false,
      failure: undefined,
      load: async () => {
        set({ failure: undefined });
        await list.load();
      },
      save: (content) => {
        const known = get().views?.find(({ name }) => name === content.name);
        return change(() => api.putView(known?.id ?? newId(ID_BYTES), content));
      },
      rename: ({ id, ...content }, name) => change(() => api.putView(id, { ...content, name })),
      remove: (id) => change(() => api.deleteView(id)),
    };
  });
}
export type ViewsStore = ReturnType<typeof createViewsStore>;
