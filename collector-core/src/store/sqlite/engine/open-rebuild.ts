import type { OpenStoreOptions } from "./open-store-options.js";
import type { SpanIndexer } from "./span-indexer.js";
import type { StoreCore } from "./store-core.js";
import { StoreRebuild } from "./store-rebuild.js";
import { TraceReindexer } from "./trace-reindexer.js";
import type { TraceRemover } from "./trace-remover.js";

/** What a rebuild needs of an open store. */
export interface OpenRebuildOptions {
  readonly store: OpenStoreOptions;
  readonly core: StoreCore;
  readonly indexer: SpanIndexer;
  readonly remover: TraceRemover;
  /** Called when nothing is left of a trace. */
  readonly onGone: () => void;
}

/** Begins or continues the rebuild of a file; undefined if it needs none. */
export function openRebuild({
  store: { file, bounds, rebuildState: state, onEvicted },
  core,
  indexer,
  remover,
  onGone,
}: OpenRebuildOptions): StoreRebuild | undefined {
  if (state === undefined || !file.needsRebuild) return undefined;
  const onExpired = (): void => onEvicted("ttl", 1);
  const reindexer = new TraceReindexer({ ...core, ...bounds, remover, onExpired, onGone });
  return new StoreRebuild({ ...core, state, indexer, reindexer });
}
