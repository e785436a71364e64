import { useEffect } from "react";
import { useLocation } from "wouter";
import { useStores } from "../../app-context.js";
import { meaningOf, type GlobalCommand } from "./keyboard.js";
import { closeOverlay, openPalette, openShortcuts, overlays } from "./overlays.js";
import { toggleRail } from "./rail-state.js";
import { isMac } from "./top-bar.js";

/** How long the first key of a sequence waits for the second. */
const SEQUENCE_MS = 1000;

/** Elements that handle plain keys themselves. */
const TYPING = "input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog]";
/** Elements that handle Space themselves. */
const PRESSED_BY_SPACE =
  "button, a, summary, [role=button], [role=tab], [role=tabpanel], [role=checkbox], [role=option], [role=separator]";

/** Handles the shortcuts that work on every page. */
export function useGlobalKeys(): void {
  const stores = useStores();
  const [, navigate] = useLocation();

  useEffect(() => {
    let after: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function run(command: GlobalCommand): void {
      switch (command.type) {
        case "go":
          navigate(command.path);
          break;
        case "palette":
          if (overlays.getState().open === "palette") closeOverlay();
          else openPalette();
          break;
        case "shortcuts":
          openShortcuts();
          break;
        case "rail":
          toggleRail(stores);
          break;
        case "pause":
          stores.traces.getState().setPaused(!stores.traces.getState().paused);
          break;
      }
    }

    function onKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.isComposing || event.key === "Shift") return;
      const meaning = meaningOf(event, after, isMac());
      clearTimeout(timer);
      after = undefined;
      if (meaning === undefined || event.repeat) return;
      const isForFrame = meaning.type === "command" && meaning.withMod;
      if (!isForFrame && isTaken(event)) return;
      if (meaning.type === "first") {
        after = meaning.key;
        timer = setTimeout(() => (after = undefined), SEQUENCE_MS);
        return;
      }
      event.preventDefault();
      run(meaning.command);
    }

    // Runs before the listeners of pages, so that the E of `G E` is not "next error".
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener("keydown", onKeyDown, { capture: true });
    };
  }, [navigate, stores]);
}

/** True if a field, a menu or a dialog handles the key. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (overlays.getState().open !== "none") return true;
  if (!(target instanceof Element)) return false;
  return target.closest(TYPING) !== null || (key === " " && target.closest(PRESSED_BY_SPACE) !== null);
}
