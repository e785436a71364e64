import { createStore } from "zustand/vanilla";

/** The overlay above the page. At most one is open. */
export interface Overlays {
  readonly open: "none" | "palette" | "shortcuts";
}

/** A store of the module, because a page shows at most one overlay. */
export const overlays = createStore<Overlays>()(() => ({ open: "none" }));

/** What had the focus before the overlay opened. State of the module, because a page has one focus. */
let opener: HTMLElement | undefined;

export const openPalette = (): void => open("palette");
export const openShortcuts = (): void => open("shortcuts");
export const closeOverlay = (): void => overlays.setState({ open: "none" });

/** Closes the overlay before a navigation; the next page sets its own focus. */
export function leaveOverlay(): void {
  opener = undefined;
  closeOverlay();
}

/** Restores the focus when a dialog closes. Radix returns it only to a trigger, and shortcuts have none. */
export function returnFocus(event: Event): void {
  event.preventDefault();
  if (overlays.getState().open === "none") opener?.focus({ preventScroll: true });
}

function open(name: "palette" | "shortcuts"): void {
  if (overlays.getState().open === "none") {
    const { activeElement } = document;
    opener = activeElement instanceof HTMLElement ? activeElement : undefined;
  }
  overlays.setState({ open: name });
}
