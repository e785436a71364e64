import { useEffect, useState } from "react";
import { usePreferences } from "../../app-context.js";
import type { PreferencesStore } from "../../store/preferences-store.js";

/** From this width on the rail shows names, unless the user chose otherwise. */
const WIDE = "(min-width: 1720px)";

/** Whether the rail shows names. */
export function useRailOpen(): boolean {
  const chosen = usePreferences(({ railOpen }) => railOpen);
  const isWide = useMediaQuery(WIDE);
  return chosen ?? isWide;
}

export function toggleRail(preferences: PreferencesStore): void {
  preferences.setState(({ railOpen }) => ({ railOpen: !(railOpen ?? window.matchMedia(WIDE).matches) }));
}

function useMediaQuery(query: string): boolean {
  const [isMatch, setMatch] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const list = window.matchMedia(query);
    const onChange = (): void => setMatch(list.matches);
    list.addEventListener("change", onChange);
    return () => list.removeEventListener("change", onChange);
  }, [query]);
  return isMatch;
}
