import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, type RefObject } from "react";
import { useTracePage } from "../trace-page-context.js";

/** Height of a row: `--row-dense` of tokens.css. */
export const ROW_HEIGHT = 26;

/** Draws only the rows that are seen, and keeps the selected one in sight. */
export function useSpanVirtualizer(
  scroller: RefObject<HTMLDivElement | null>,
): Virtualizer<HTMLDivElement, Element> {
  const { rows, selected } = useTracePage();
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const selectedId = selected?.id;
  useEffect(() => {
    const index = rows.findIndex(({ id }) => id === selectedId);
    if (index >= 0) virtualizer.scrollToIndex(index, { align: "auto" });
    // Not whenever rows arrive: the reader may have scrolled away from what is selected.
  }, [selectedId, virtualizer]);
  return virtualizer;
}
