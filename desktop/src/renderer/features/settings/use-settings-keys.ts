import { useEffect, type RefObject } from "react";
import { isHandledElsewhere } from "../traces/use-list-keys.js";

interface SettingsCommands {
  readonly field: RefObject<HTMLInputElement | null>;
  /** Clears the search. */
  readonly clear: () => void;
  readonly save: () => void;
}

/** `/` searches, `Esc` clears the search, ⌘S or Ctrl S saves. */
export function useSettingsKeys({ field, clear, save }: SettingsCommands): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.altKey) return;
      const isMod = event.ctrlKey || event.metaKey;
      if (isMod && event.key.toLowerCase() === "s") save();
      else if (!isMod && event.key === "Escape" && event.target === field.current) clear();
      else if (!isMod && event.key === "/" && !isHandledElsewhere(event.target)) field.current?.focus();
      else return;
      event.preventDefault();
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  });
}
