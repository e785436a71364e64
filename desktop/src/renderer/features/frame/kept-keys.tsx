import { useEffect, useRef } from "react";
import { meaningOf } from "./keyboard.js";
import { isMac } from "./top-bar.js";

/** Enough for what is pressed while a page loads. */
const MAX_KEYS = 32;
/** Keys of what has the focus. */
const OF_FOCUS = new Set(["Tab", "Enter", " ", "Shift"]);

interface KeptKeysProps {
  /** Leaves at once: nobody waits for what they want to leave. Default: Escape is kept too. */
  readonly onEscape?: () => void;
}

/** Stands where something loads. Keys that nothing handles meanwhile are pressed again when it is there. */
export function KeptKeys({ onEscape }: KeptKeysProps) {
  const leave = useRef(onEscape);
  useEffect(() => {
    leave.current = onEscape;
  });
  useEffect(() => {
    const { pathname } = window.location;
    const kept: KeyboardEventInit[] = [];
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || !isForPage(event)) return;
      // A browser may scroll, or open its own search.
      event.preventDefault();
      const { key, code, shiftKey } = event;
      if (key === "Escape" && leave.current !== undefined) leave.current();
      else if (kept.length < MAX_KEYS) kept.push({ key, code, shiftKey, bubbles: true, cancelable: true });
    };
    window.addEventListener("keydown", onKeyDown);
    return () => {
      window.removeEventListener("keydown", onKeyDown);
      void pressAgain(kept, pathname);
    };
  }, []);
  return null;
}

async function pressAgain(keys: readonly KeyboardEventInit[], pathname: string): Promise<void> {
  for (const init of keys) {
    // The listeners of what has loaded are added meanwhile, and those of what the key before opened.
    await new Promise((resolve) => setTimeout(resolve));
    if (window.location.pathname !== pathname) return;
    document.body.dispatchEvent(new KeyboardEvent("keydown", init));
  }
}

/** Not for the frame, which is there already, nor for what has the focus. */
function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.target !== document.body || OF_FOCUS.has(event.key)) return false;
  return meaningOf(event, undefined, isMac()) === undefined;
}
