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
  /** The calls of the open trace that did not read the cache as far as they could, as far as their agents were read. */
  readonly broken: ReadonlySet<string>;
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
  return createStore<ContextState & ContextActions>()((set, get) => {
    const data = createRemoteData<CallContext | undefined>({
      fetch: async (signal) => asked && (await api.getContext(asked.key, asked.spanId, signal)),
      onData: (context) => set({ context, error: undefined, broken: withBroken(get().broken, context) }),
      onError: (error) => set({ context: undefined, error }),
      refresh: { intervalMs: 1000, restFactor: 4 },
      ...clock,
    });
    return {
      spanId: undefined,
      context: undefined,
      error: undefined,
      broken: NONE,
      async open(key, spanId) {
        const isSame = asked?.key.traceId === key.traceId && asked.key.tenant === key.tenant;
        asked = { key, spanId };
        set({ spanId, error: undefined, ...(isSame ? {} : { broken: NONE }) });
        await data.load();
      },
      refresh: () => data.load(),
    };
  });
}
export type ContextStore = ReturnType<typeof createContextStore>;

const NONE: ReadonlySet<string> = new Set();

function withBroken(known: ReadonlySet<string>, context: CallContext | undefined): ReadonlySet<string> {
  if (context === undefined) return known;
  const broken = new Set(known);
  for (const { span_id: id, cause } of context.calls) {
    if (cause === null) broken.delete(id);
    else broken.add(id);
  }
  return broken.size === known.size && [...broken].every((id) => known.has(id)) ? known : broken;
}

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
