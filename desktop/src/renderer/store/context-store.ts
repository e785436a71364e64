import type { CallContext } from "@obspan/collector-core/api-schema";
import { createStore } from "zustand/vanilla";
import type { CollectorApi, CollectorError, TraceKey } from "../api/collector-api.js";
import { createRemoteData, type StoreClock } from "./remote-data.js";

/** What fills the context window of a model call. */
export interface ContextState {
  /** The call that was asked for. */
  readonly spanId: string | undefined;
  /** Its context. That of the call before stays until the answer arrives. */
  readonly context: CallContext | undefined;
  readonly error: CollectorError | undefined;
}

export interface ContextActions {
  open(key: TraceKey, spanId: string): Promise<void>;
  refresh(): Promise<void>;
}

export interface ContextStoreOptions extends StoreClock {
  readonly api: Pick<CollectorApi, "getContext">;
}

export function createContextStore({ api, ...clock }: ContextStoreOptions) {
  let asked: { readonly key: TraceKey; readonly spanId: string } | undefined;
  return createStore<ContextState & ContextActions>()((set) => {
    const data = createRemoteData<CallContext | undefined>({
      fetch: async (signal) => asked && (await api.getContext(asked.key, asked.spanId, signal)),
      onData: (context) => set({ context, error: undefined }),
      onError: (error) => set({ context: undefined, error }),
      refresh: { intervalMs: 1000, restFactor: 4 },
      ...clock,
    });
    return {
      spanId: undefined,
      context: undefined,
      error: undefined,
      async open(key, spanId) {
        asked = { key, spanId };
        set({ spanId, error: undefined });
        await data.load();
      },
      refresh: () => data.load(),
    };
  });
}
export type ContextStore = ReturnType<typeof createContextStore>;

/** A break that cost less is not worth a warning. */
const MIN_COST_USD = 0.001;

/** What a reader should look at: a broken cache that cost something, and texts that are there several times. */
export function findingsIn(context: CallContext): number {
  return (isCostly(context.cache_break) ? 1 : 0) + context.duplicates.length;
}

/** Whether a broken cache cost something, as far as prices are known. */
export function isCostly(cacheBreak: CallContext["cache_break"]): boolean {
  return cacheBreak !== null && (cacheBreak.cost_usd ?? MIN_COST_USD) >= MIN_COST_USD;
}
