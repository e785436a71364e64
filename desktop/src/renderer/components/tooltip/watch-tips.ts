import type { RefObject } from "react";

/** The element whose tooltip is shown. */
export interface TipTarget {
  readonly element: HTMLElement;
  readonly text: string;
  /** The tooltip is the whole of a text that is cut. */
  readonly isOwnText: boolean;
}

/** Time on an element until its tooltip appears, and from one tooltip to the next. */
const OPEN_MS = 450;
const NEXT_MS = 60;
/** Time to move the pointer from the element to its tooltip. */
const CLOSE_MS = 120;

/**
 * Follows the pointer and the focus, and tells which tooltip is shown.
 *
 * @param tip - the shown tooltip, on which the pointer may rest.
 *
 * @returns a function that stops.
 */
export function watchTips(
  page: Document,
  tip: RefObject<HTMLElement | null>,
  show: (target: TipTarget | undefined) => void,
): () => void {
  let shown: HTMLElement | undefined;
  let wanted: HTMLElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isByKeys = false;
  /** Where the pointer was last. */
  let pointer: Pick<PointerEvent, "screenX" | "screenY"> | undefined;

  function open(element: HTMLElement): void {
    const target = element.isConnected ? targetOf(element) : undefined;
    shown = target?.element;
    show(target);
  }

  function close(): void {
    clearTimeout(timer);
    wanted = undefined;
    if (shown === undefined) return;
    shown = undefined;
    show(undefined);
  }

  function want(element: HTMLElement | undefined, delayMs: number): void {
    if (element === wanted) return;
    wanted = element;
    clearTimeout(timer);
    if (element === undefined) timer = setTimeout(close, CLOSE_MS);
    else if (element !== shown) timer = setTimeout(() => open(element), delayMs);
  }

  const onPointer = (event: PointerEvent): void => {
    const { target, pointerType, screenX, screenY } = event;
    if (pointerType === "touch" || !(target instanceof Element)) return;
    const hasMoved = screenX !== pointer?.screenX || screenY !== pointer.screenY;
    pointer = { screenX, screenY };
    const element = tipElement(target);
    if (tip.current?.contains(target) === true) want(shown, 0);
    // A page that is opened or scrolled moves elements below a pointer that rests.
    else want(hasMoved || element === wanted ? element : undefined, shown === undefined ? OPEN_MS : NEXT_MS);
  };
  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement) || !isByKeys || target.dataset["tip"] === undefined) return;
    want(target, NEXT_MS);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // The focus that a dialog or a page sets by itself is not the user's.
    isByKeys = event.key === "Tab" || event.key.startsWith("Arrow");
    if (event.key === "Escape" && shown !== undefined) {
      // The page goes back with the next press.
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === "Enter" || event.key === " ") close();
  };
  const onPointerDown = (event: PointerEvent): void => {
    pointer = { screenX: event.screenX, screenY: event.screenY };
    isByKeys = false;
    close();
  };
  const stop = new AbortController();
  const options = { signal: stop.signal, capture: true };
  page.addEventListener("pointerover", onPointer, options);
  page.addEventListener("pointermove", onPointer, options);
  page.addEventListener("pointerleave", close, { signal: stop.signal });
  page.addEventListener("focusin", onFocus, options);
  page.addEventListener("focusout", close, options);
  page.addEventListener("keydown", onKeyDown, options);
  page.addEventListener("pointerdown", onPointerDown, options);
  page.addEventListener("scroll", close, options);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

function tipElement(target: Element): HTMLElement | undefined {
  return target.closest<HTMLElement>("[data-tip]") ?? undefined;
}

/** Undefined if the tooltip repeats a text that can be read whole. */
function targetOf(element: HTMLElement): TipTarget | undefined {
  const text = element.dataset["tip"] ?? "";
  const isOwnText = element.textContent.trim() === text.trim();
  if (text === "" || (isOwnText && !isCut(element))) return undefined;
  return { element, text, isOwnText };
}

/** Whether a part of its text is not visible. */
function isCut(element: HTMLElement): boolean {
  const parts = [element, ...element.querySelectorAll<HTMLElement>("*")];
  return parts.some(
    ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
      scrollWidth > clientWidth || scrollHeight > clientHeight + 1,
  );
}
