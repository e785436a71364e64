import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useEffect, type RefObject } from "react";
import { useTracePage } from "../trace-page-context.js";

/** Row height, `--row-dense` in tokens.css. */
export const ROW_HEIGHT = 26;

/** Renders only visible rows, and scrolls to the selected one. */
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
    // Not when rows arrive, because the user may have scrolled away.
  }, [selectedId, virtualizer]);
  return virtualizer;
}
