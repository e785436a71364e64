import { useEffect, type RefObject } from "react";

/** As in `::highlight()` of the style sheet. */
const NAME = "found-in-turns";
/** Places that are marked: more are not seen at a time. */
const MAX_MARKS = 500;

/** Marks a text where it stands in an element, in any letter case. A browser that has no highlights shows none. */
export function useFoundText(container: RefObject<HTMLElement | null>, text: string): void {
  useEffect(() => {
    const element = container.current;
    const needle = text.trim().toLowerCase();
    if (element === null || needle === "" || typeof Highlight !== "function") return undefined;
    const mark = (): void => void CSS.highlights.set(NAME, new Highlight(...rangesOf(element, needle)));
    mark();
    // Turns come and go while the reader scrolls, and their texts arrive later.
    const observer = new MutationObserver(mark);
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [container, text]);
}

function rangesOf(element: HTMLElement, needle: string): Range[] {
  const ranges: Range[] = [];
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    const text = node.nodeValue ?? "";
    const lower = text.toLowerCase();
    // A few letters are longer in lower case: the places would be others.
    if (lower.length !== text.length) continue;
    for (let at = lower.indexOf(needle); at !== -1; at = lower.indexOf(needle, at + needle.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
      if (ranges.length === MAX_MARKS) return ranges;
    }
  }
  return ranges;
}
