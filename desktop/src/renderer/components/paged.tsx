import { Fragment, useState, type ReactNode } from "react";
import buttonStyles from "./button.module.css";

interface PagedProps<Item> {
  readonly items: readonly Item[];
  /** What the items are called, in the plural. */
  readonly name: string;
  readonly renderItem: (item: Item, index: number) => ReactNode;
}

/** Items rendered at first, and added by each press of "Show more". */
const PAGE = 300;

/** A list of any length, rendered in pages: thousands of items at once would block the page. */
export function Paged<Item>({ items, name, renderItem }: PagedProps<Item>) {
  const [limit, setLimit] = useState(PAGE);
  return (
    <>
      {items.slice(0, limit).map((item, index) => (
        <Fragment key={index}>{renderItem(item, index)}</Fragment>
      ))}
      {items.length > limit && (
        <button type="button" className={buttonStyles.more} onClick={() => setLimit(limit + PAGE)}>
          Show {Math.min(PAGE, items.length - limit)} more of {items.length} {name}
        </button>
      )}
    </>
  );
}
