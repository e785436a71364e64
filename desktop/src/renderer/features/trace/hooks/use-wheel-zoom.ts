import { useEffect, useRef, type RefObject } from "react";
import { panWindow, zoomWindow, type TimeWindow } from "../model/time-scale.js";
import { useTracePage } from "../trace-page-context.js";

/** Zoom factor per pixel of the wheel: 100 pixels zoom by a quarter. */
const ZOOM_PER_PIXEL = 0.0022;

/**
 * Zooms at the pointer with ⌘ or Ctrl and the wheel; moves a zoomed window with the horizontal wheel.
 *
 * @param trackLeft - the left edge of the track, in pixels from the left of `element`.
 */
export function useWheelZoom(
  element: RefObject<HTMLElement | null>,
  trackLeft: number,
  trackWidth: number,
  shown: TimeWindow,
  whole: TimeWindow,
): void {
  const { view } = useTracePage();
  const latest = useRef({ trackLeft, trackWidth, shown, whole });
  useEffect(() => {
    latest.current = { trackLeft, trackWidth, shown, whole };
  });
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    const onWheel = (event: WheelEvent): void => {
      const { trackLeft: left, trackWidth: width, shown: from, whole: all } = latest.current;
      const msPerPixel = (from.endMs - from.startMs) / Math.max(1, width);
      const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const x = event.clientX - target.getBoundingClientRect().left - left;
        const about = from.startMs + Math.min(Math.max(x, 0), width) * msPerPixel;
        view.getState().setWindow(zoomWindow(from, all, Math.exp(event.deltaY * ZOOM_PER_PIXEL), about));
      } else if (event.shiftKey || Math.abs(sideways) > Math.abs(event.deltaY)) {
        event.preventDefault();
        view.getState().setWindow(panWindow(from, all, sideways * msPerPixel));
      }
    };
    // React's wheel listeners are passive, and cannot prevent the page from zooming.
    target.addEventListener("wheel", onWheel, { passive: false });
    return () => target.removeEventListener("wheel", onWheel);
  }, [element, view]);
}
