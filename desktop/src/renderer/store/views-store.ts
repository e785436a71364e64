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
  /** Saves the views of an exported file. Those with the same name are replaced. */
  importFile(text: string): Promise<void>;
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
      importFile: (text) =>
        change(async () => {
          const { views: known } = await api.getViews();
          // One after the other: the collector says which one it refuses.
          for (const { id, ...content } of viewsIn(text)) {
            const same = known.find((view) => view.id === id || view.name === content.name);
            await api.putView(same?.id ?? newId(ID_BYTES), content);
          }
        }),
    };
  });
}
/** The views of an exported file. The collector checks what they contain. */
function viewsIn(text: string): readonly View[] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    file = undefined;
  }
  const views: unknown =
    typeof file === "object" && file !== null && "views" in file ? file.views : undefined;
  if (!Array.isArray(views)) throw new TypeError("The file has no saved views: export them on this page.");
  return views as readonly View[];
}

export type ViewsStore = ReturnType<typeof createViewsStore>;
