import type { Facets, TraceSummary } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import { asCollectorError, type CollectorApi } from "../api/collector-api.js";
import { likelyTraceId } from "./likely-trace-id.js";
import { createRemoteData } from "./remote-data.js";

/** What the palette finds at the collector. */
export interface PaletteState {
  readonly query: string;
  /** Traces in which the text occurs, newest first. */
  readonly traces: readonly TraceSummary[];
  /** The traces whose id was typed or pasted: one, or one a tenant. */
  readonly tracesById: readonly TraceSummary[];
  /** Values of the filters, over all traces. */
  readonly facets: Facets | undefined;
  /** Why the last thing that was asked of the collector failed. */
  readonly failure: string | undefined;
}

export interface PaletteActions {
  loadFacets(): Promise<void>;
  setQuery(query: string): void;
  /** @returns whether they are gone. */
  deleteAllTraces(): Promise<boolean>;
  /** Nothing is asked any more. */
  close(): void;
}

/** So long nothing must be typed before the collector is asked. */
const TYPING_MS = 150;
/** Traces that the palette has room for. */
const MAX_TRACES = 5;

/** Search behind the palette: one lives as long as the palette is open. */
export function createPaletteStore(api: CollectorApi) {
  return createStore<PaletteState & PaletteActions>()((set, get) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const search = createRemoteData({
      async fetch(signal) {
        const text = get().query.trim();
        const id = likelyTraceId(text);
        const [byText, byId] = await Promise.all([
          text.startsWith("#") ? undefined : api.listTraces({ q: text, limit: MAX_TRACES }, signal),
          id === undefined ? undefined : api.listTraces({ trace_id: id, limit: MAX_TRACES }, signal),
        ]);
        return { traces: byText?.traces ?? [], tracesById: byId?.traces ?? [] };
      },
      onData: (found) => set({ ...found, failure: undefined }),
      onError: ({ message }) => set({ traces: [], tracesById: [], failure: message }),
      refresh: { intervalMs: TYPING_MS, restFactor: 1 },
    });

    function stop(): void {
      clearTimeout(timer);
      search.abort();
    }

    return {
      query: "",
      traces: [],
      tracesById: [],
      facets: undefined,
      failure: undefined,

      async loadFacets() {
        try {
          set({ facets: await api.getFacets({}) });
        } catch (error) {
          set({ failure: asCollectorError(error).message });
        }
      },

      setQuery(query) {
        stop();
        const text = query.trim();
        // What was found for other text stays until the answer is here, but not for another id.
        set({ query, tracesById: [] });
        if (text === "" || text === "#" || text.startsWith(">")) set({ traces: [], failure: undefined });
        else timer = setTimeout(() => void search.load(), TYPING_MS);
      },

      async deleteAllTraces() {
        try {
          await api.deleteAllTraces();
          set({ failure: undefined });
          return true;
        } catch (error) {
          set({ failure: asCollectorError(error).message });
          return false;
        }
      },

      close() {
        stop();
        if (get().query !== "") set({ query: "", traces: [], tracesById: [] });
      },
    };
  });
}
export type PaletteStore = ReturnType<typeof createPaletteStore>;
