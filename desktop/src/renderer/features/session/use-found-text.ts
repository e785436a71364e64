import { useEffect, useMemo, type RefObject } from "react";

/** As in `::highlight()` of the style sheet. */
type HighlightName = "found-in-turns" | "redacted-in-turns";
/** Places that are marked: more are not seen at a time. */
const MAX_MARKS = 500;

/** Finds the start and the end of places in a text. */
type FindPlaces = (text: string) => readonly (readonly [start: number, end: number])[];

/** Marks all places of a text in an element, in any letter case. */
export function useFoundText(container: RefObject<HTMLElement | null>, text: string): void {
  const needle = text.trim().toLowerCase();
  const find = useMemo(() => (needle === "" ? undefined : placesOf(needle)), [needle]);
  useMarkedText(container, "found-in-turns", find);
}

/** Marks places in the text of an element. A browser that has no highlights shows none. */
export function useMarkedText(
  container: RefObject<HTMLElement | null>,
  name: HighlightName,
  find: FindPlaces | undefined,
): void {
  useEffect(() => {
    const element = container.current;
    if (element === null || find === undefined || typeof Highlight !== "function") return undefined;
    const mark = (): void => void CSS.highlights.set(name, new Highlight(...rangesOf(element, find)));
    mark();
    // Turns come and go while the reader scrolls, and their texts arrive later.
    const observer = new MutationObserver(mark);
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete(name);
    };
  }, [container, name, find]);
}

function placesOf(needle: string): FindPlaces {
  return (text) => {
    const lower = text.toLowerCase();
    const places: [number, number][] = [];
    // A few letters are longer in lower case: the places would be others.
    if (lower.length !== text.length) return places;
    for (let at = lower.indexOf(needle); at !== -1; at = lower.indexOf(needle, at + needle.length))
      places.push([at, at + needle.length]);
    return places;
  };
}

function rangesOf(element: HTMLElement, find: FindPlaces): Range[] {
  const ranges: Range[] = [];
  const nodes = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    for (const [start, end] of find(node.nodeValue ?? "")) {
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, end);
      ranges.push(range);
      if (ranges.length === MAX_MARKS) return ranges;
    }
  }
  return ranges;
}
