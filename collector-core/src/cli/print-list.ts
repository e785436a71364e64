import { EXIT } from "./command-failure.js";
import type { Output } from "./output/output.js";
import { tableText, type Column } from "./output/table.js";
import { readPages, type ReadPage } from "./read-pages.js";

/** Options of {@link printList}. */
interface ListOptions<Item> {
  readonly flags: { readonly limit: number; readonly json?: boolean };
  readonly output: Output;
  /** What is said of an empty list. */
  readonly nothing: string;
  readonly columns: (items: readonly Item[]) => readonly Column<Item>[];
  readonly read: ReadPage<Item>;
}

/** Prints a list of the API, page by page until there are enough items. @returns the exit code. */
export async function printList<Item>(options: ListOptions<Item>): Promise<number> {
  const { flags, output, nothing, columns, read } = options;
  const shown: Item[] = [];
  let count = 0;
  const hasMore = await readPages(flags.limit, read, (items) => {
    for (const item of items)
      if (flags.json) output.printJson(item);
      else shown.push(item);
    count += items.length;
  });
  if (count === 0) {
    output.note(`${nothing}\n`);
    return EXIT.nothing;
  }
  if (!flags.json) output.print(tableText(columns(shown), shown, output));
  if (hasMore) output.note(`There are more: --limit shows them.\n`);
  return EXIT.ok;
}
