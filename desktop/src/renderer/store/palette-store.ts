import type { Facets, TraceSummary } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import { asCollectorError, type CollectorApi } from "../api/collector-api.js";
import { parseTraceId } from "./parse-trace-id.js";
import { createRemoteData } from "./remote-data.js";

/** Search results of the palette. */
export interface PaletteState {
  readonly query: string;
  /** Traces that contain the text, newest first. */
  readonly traces: readonly TraceSummary[];
  /** The traces with the typed id, one per tenant. */
  readonly tracesById: readonly TraceSummary[];
  /** Filter values over all traces. */
  readonly facets: Facets | undefined;
  /** Why the last request failed. */
  readonly failure: string | undefined;
}

export interface PaletteActions {
  loadFacets(): Promise<void>;
  setQuery(query: string): void;
  /** @returns whether they were deleted. */
  deleteAllTraces(): Promise<boolean>;
  /** Stops searching. */
  close(): void;
}

/** Delay between typing and the search. */
const TYPING_MS = 150;
/** Most traces in the palette. */
const MAX_TRACES = 5;

/** State of the palette's search, which exists while the palette is open. */
export function createPaletteStore(api: CollectorApi) {
  return createStore<PaletteState & PaletteActions>()((set, get) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const search = createRemoteData({
      async fetch(signal) {
        const text = get().query.trim();
        const id = parseTraceId(text);
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
        // Text results stay until the new ones arrive; id results do not.
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
