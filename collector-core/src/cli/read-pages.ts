import type { TraceList, TraceSummary } from "../api-schema/trace.js";
import { appendAll } from "../runtime/append-all.js";
import type { CollectorClient } from "./collector-client.js";
import { CommandFailure } from "./command-failure.js";

/** Largest page of the API. */
const PAGE = 1000;
/** A page is empty if what it would have listed was deleted meanwhile, which hardly happens twice in a row. */
const MAX_EMPTY_PAGES = 10;

/** A page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Reads one page of a list. */
export type ReadPage<Item> = (page: {
  readonly limit: number;
  readonly cursor: string | undefined;
}) => Promise<ListPage<Item>>;

/**
 * Reads a list page by page, until there are enough items.
 *
 * @returns whether there are more.
 * @throws CommandFailure if the list has no end.
 */
export async function readPages<Item>(
  limit: number,
  read: ReadPage<Item>,
  onItems: (items: readonly Item[]) => void,
): Promise<boolean> {
  const known = new Set<string>();
  let count = 0;
  let empty = 0;
  let cursor: string | undefined;
  do {
    const { items, next } = await read({ limit: Math.min(limit - count, PAGE), cursor });
    onItems(items);
    count += items.length;
    cursor = next ?? undefined;
    if (cursor === undefined) return false;
    if (known.has(cursor)) throw endless("answered a cursor for more that it had answered before");
    empty = items.length === 0 ? empty + 1 : 0;
    if (empty === MAX_EMPTY_PAGES)
      throw endless(`answered ${empty} empty pages, each with a cursor for more`);
    known.add(cursor);
  } while (count < limit);
  return true;
}

/** What {@link readTraces} returns. */
export interface ReadTraces {
  readonly traces: readonly TraceSummary[];
  /** True if further traces match. */
  readonly hasMore: boolean;
}

/** The newest traces that match a query. */
export async function readTraces(
  client: CollectorClient,
  query: string | undefined,
  limit: number,
): Promise<ReadTraces> {
  const traces: TraceSummary[] = [];
  const hasMore = await readPages<TraceSummary>(
    limit,
    async (page) => {
      const list = await client.get<TraceList>("/v1/traces", "traces", { query, ...page });
      return { items: list.traces, next: list.next_cursor };
    },
    (items) => appendAll(traces, items),
  );
  return { traces, hasMore };
}

function endless(what: string): CommandFailure {
  return new CommandFailure(`The list has no end: the collector ${what}.`);
}
