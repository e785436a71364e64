import { createStore } from "zustand/vanilla";
import type { TraceKey } from "../api/collector-api.js";
import type { OpenTextFeed } from "../api/text-feed.js";
import { appendText } from "./append-text.js";

export interface LiveTextsState {
  /** The completions of the open trace's running spans so far, by span id. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface LiveTextsActions {
  /** Follows the texts of a trace. @returns a function that ends it, and forgets the texts. */
  follow(key: TraceKey): () => void;
}

/** Most texts that are kept. The first ones are forgotten. */
const MAX_TEXTS = 200;

/** The texts of model calls that run. */
export function createLiveTextsStore(open: OpenTextFeed) {
  return createStore<LiveTextsState & LiveTextsActions>()((set) => ({
    texts: new Map(),

    follow(key) {
      set({ texts: new Map() });
      const close = open(key, ({ span_id: id, completion_partial: text }) =>
        set(({ texts }) => {
          const next = new Map(texts);
          next.set(id, appendText(texts.get(id) ?? "", text));
          const [first] = next.keys();
          if (next.size > MAX_TEXTS && first !== undefined) next.delete(first);
          return { texts: next };
        }),
      );
      return () => {
        close();
        set({ texts: new Map() });
      };
    },
  }));
}
export type LiveTextsStore = ReturnType<typeof createLiveTextsStore>;
