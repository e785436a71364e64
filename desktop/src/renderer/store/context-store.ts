import type { BilledAgain } from "@obspan/collector-core/analysis";
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
  /**
   * What calls of the open trace billed again because they did not read the cache as far as they could, by span id, as far as their
   * agents were read.
   */
  readonly broken: ReadonlyMap<string, BilledAgain>;
}

export interface ContextActions {
  open(key: TraceKey, spanId: string): Promise<void>;
  /**
   * Reads which calls of a trace did not read the cache as far as they could.
   *
   * @param calls - those that may have read from a cache, in order of start, by what they share one with.
   */
  findBreaks(key: TraceKey, calls: readonly (readonly string[])[]): Promise<void>;
  refresh(): Promise<void>;
}

export interface ContextStoreOptions extends StoreClock {
  readonly api: Pick<CollectorApi, "getContext">;
}

/** Most contexts that are read only to mark calls: each tells of about 150 calls before it. */
const MAX_READ = 12;

export function createContextStore({ api, ...clock }: ContextStoreOptions) {
  let asked: { readonly key: TraceKey; readonly spanId: string } | undefined;
  /** The trace whose calls are in `broken`. */
  let marked: TraceKey | undefined;
  let finding: AbortController | undefined;
  /** The calls of the open trace whose cache is known. */
  let read = new Set<string>();
  return createStore<ContextState & ContextActions>()((set, get) => {
    const data = createRemoteData<CallContext | undefined>({
      fetch: async (signal) => asked && (await api.getContext(asked.key, asked.spanId, signal)),
      onData(context) {
        set({ context, error: undefined });
        if (context !== undefined) mark(context);
      },
      onError: (error) => set({ context: undefined, error }),
      refresh: { intervalMs: 1000, restFactor: 4 },
      ...clock,
    });
    function mark({ calls }: CallContext): void {
      for (const { span_id: id, running } of calls) if (!running) read.add(id);
      set({ broken: withBroken(get().broken, calls) });
    }

    function isMarked({ traceId, tenant }: TraceKey): boolean {
      return marked?.traceId === traceId && marked.tenant === tenant;
    }

    function forgetOthers(key: TraceKey): void {
      if (isMarked(key)) return;
      marked = key;
      read = new Set();
      set({ broken: NONE });
    }

    return {
      spanId: undefined,
      context: undefined,
      error: undefined,
      broken: NONE,
      async open(key, spanId) {
        forgetOthers(key);
        asked = { key, spanId };
        set({ spanId, error: undefined });
        await data.load();
      },
      async findBreaks(key, calls) {
        forgetOthers(key);
        finding?.abort();
        const { signal } = (finding = new AbortController());
        for (let count = 0; count < MAX_READ; count++) {
          const next = calls.flatMap((ids) => ids.findLast((id) => !read.has(id)) ?? []).at(0);
          if (next === undefined) return;
          try {
            const context = await api.getContext(key, next, signal);
            if (signal.aborted) return;
            mark(context);
          } catch {
            // The marks are missing; the tab of the call tells why.
            return;
          }
          // Also if it runs still, or the answer is about others.
          read.add(next);
        }
      },
      refresh: () => data.load(),
    };
  });
}
export type ContextStore = ReturnType<typeof createContextStore>;

type Broken = ContextState["broken"];
const NONE: Broken = new Map();

function withBroken(known: Broken, calls: CallContext["calls"]): Broken {
  const broken = new Map(known);
  for (const { span_id: id, cause, tokens_again: tokens, again_cost_usd: cost } of calls) {
    if (cause === null || !isNotable(cost)) broken.delete(id);
    else broken.set(id, { tokens: tokens ?? 0, costUsd: cost ?? undefined });
  }
  const isSame = ([id, { tokens, costUsd }]: [string, BilledAgain]): boolean =>
    known.get(id)?.tokens === tokens && known.get(id)?.costUsd === costUsd;
  return broken.size === known.size && [...broken].every(isSame) ? known : broken;
}

/** A break that cost less is not worth a warning. */
const MIN_COST_USD = 0.001;

/** What a reader should look at: a broken cache that cost something, and texts that are there several times. */
export function findingsIn(context: CallContext): number {
  return (isCostly(context.cache_break) ? 1 : 0) + context.duplicates.length;
}

/** Whether a broken cache cost something, as far as prices are known. */
export function isCostly(cacheBreak: CallContext["cache_break"]): boolean {
  return cacheBreak !== null && isNotable(cacheBreak.cost_usd);
}

/** @param costUsd - null without a price. */
function isNotable(costUsd: number | null): boolean {
  return (costUsd ?? MIN_COST_USD) >= MIN_COST_USD;
}
