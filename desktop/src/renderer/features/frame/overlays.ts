import { createStore } from "zustand/vanilla";

/** What lies over the page: at most one. */
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

/** Closes it on the way to another page, which has a focus of its own. */
export function leaveOverlay(): void {
  opener = undefined;
  closeOverlay();
}

/** For a dialog that closes: radix gives the focus back to a dialog's trigger only, and keys have none. */
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
