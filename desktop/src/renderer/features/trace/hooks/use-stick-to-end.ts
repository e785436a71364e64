import { useLayoutEffect, useRef, type RefObject } from "react";

/** Distance from the end that counts as the end, in pixels. */
const NEAR = 24;

/**
 * Keeps the end of a growing text in view, if its reader is at the end. Otherwise nothing moves.
 *
 * @param scrollerSelector - selects the element around the text that scrolls.
 */
export function useStickToEnd<E extends HTMLElement>(
  content: unknown,
  scrollerSelector: string,
): RefObject<E | null> {
  const element = useRef<E>(null);
  const isAtEnd = useRef(false);
  useLayoutEffect(() => {
    const scroller = element.current?.closest(scrollerSelector);
    if (scroller == null) return;
    const note = (): void => {
      isAtEnd.current = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop <= NEAR;
    };
    note();
    scroller.addEventListener("scroll", note, { passive: true });
    return () => scroller.removeEventListener("scroll", note);
  }, [scrollerSelector]);
  useLayoutEffect(() => {
    const scroller = element.current?.closest(scrollerSelector);
    if (isAtEnd.current && scroller != null) scroller.scrollTop = scroller.scrollHeight;
  }, [content, scrollerSelector]);
  return element;
}
