import { MEASURES, type FlameFrame, type FlameLayout } from "@obspan/collector-core/analysis";
import { useEffect, useRef, type RefObject } from "react";
import { overlays } from "../../frame/overlays.js";
import { useTracePage } from "../trace-page-context.js";
import type { FlameModel } from "./use-flame.js";

interface FlameKeys {
  readonly element: RefObject<HTMLElement | null>;
  readonly model: FlameModel;
  readonly layout: FlameLayout;
}

/** Keys inside the flame: they move between the frames that are drawn, zoom, and change what is shown. */
export function useFlameKeys({ element, model, layout }: FlameKeys): void {
  const { view, isNarrow } = useTracePage();
  const { selected, base, measure, flame } = model;

  const select = (frame: FlameFrame | undefined): true => {
    if (frame !== undefined) view.getState().select(frame.key);
    return true;
  };
  const drawn = layout.boxes.filter(({ isAround }) => !isAround).map(({ frame }) => frame);

  /** The drawn frame beside the selected one, in its row. */
  const beside = (step: 1 | -1): true => {
    if (selected === undefined || !drawn.includes(selected)) return select(selected?.parent ?? drawn[0]);
    const row = drawn.filter(({ depth }) => depth === selected.depth);
    return select(row[row.indexOf(selected) + step]);
  };

  function open(): true {
    const { setFlame, setSpanOpen, openOverlay, isPaneOpen, togglePane } = view.getState();
    const isZoomed = selected === (base ?? (flame.roots.length === 1 ? flame.roots[0] : undefined));
    if (!isZoomed && selected !== undefined) {
      setFlame({ zoomedTo: selected.key });
      return true;
    }
    setSpanOpen(true);
    if (isNarrow) openOverlay();
    else if (!isPaneOpen) togglePane(false);
    // The pane is rendered after this.
    requestAnimationFrame(() => document.querySelector<HTMLElement>("[role=tabpanel]")?.focus());
    return true;
  }

  /** Acts on a key. @returns whether it did. */
  function act(key: string, isInside: boolean): boolean {
    const { flame: settings, isSpanOpen, isSearchOpen, isOverlayOpen, setFlame } = view.getState();
    if (key === "t")
      setFlame({ measure: MEASURES[(MEASURES.indexOf(measure) + 1) % MEASURES.length] ?? "time" });
    else if (key === "r") setFlame({ mergesRepeats: !settings.mergesRepeats });
    else if (key === "Escape") {
      if (base === undefined || isSpanOpen || isSearchOpen || (isNarrow && isOverlayOpen)) return false;
      setFlame({ zoomedTo: undefined });
    } else if (!isInside) return false;
    else if (key === "ArrowDown") return select(selected?.children.find((child) => drawn.includes(child)));
    else if (key === "ArrowUp") return select(selected?.parent);
    else if (key === "ArrowLeft") return beside(-1);
    else if (key === "ArrowRight") return beside(1);
    else if (key === "Home") return select(drawn[0]);
    else if (key === "End") return select(drawn.at(-1));
    else if (key === "Enter") return open();
    else return false;
    return true;
  }

  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (overlays.getState().open !== "none" || isTyping(event.target)) return;
      if (latest.current(event.key, isInside(event.target, element.current))) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    };
    // Before the keys of the page, which move between spans.
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => window.removeEventListener("keydown", onKeyDown, { capture: true });
  }, [element]);
}

/** Buttons keep their own keys. */
function isInside(target: EventTarget | null, element: HTMLElement | null): boolean {
  if (target === document.body) return true;
  return target instanceof Element && element?.contains(target) === true && target.closest("button") === null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [role=dialog]") !== null;
}
