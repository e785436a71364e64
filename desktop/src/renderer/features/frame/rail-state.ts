import { useLocation } from "wouter";
import { useMediaQuery } from "../../components/use-media-query.js";
import { usePreferences, useTraces, type AppStores } from "../../app-context.js";
import { isFirstRun } from "../../store/traces-state.js";

/** From this width on, the rail shows names unless the user chose otherwise. */
const WIDE = "(min-width: 1720px)";
/** On the first run, the limit is smaller because the icons are not known yet. */
const ROOMY = "(min-width: 960px)";

/** Whether the rail shows names. */
export function useRailOpen(): boolean {
  const chosen = usePreferences(({ railOpen }) => railOpen);
  const [path] = useLocation();
  const isNew = useTraces(isFirstRun) && !isTracePage(path);
  const isWide = useMediaQuery(isNew ? ROOMY : WIDE);
  return chosen ?? isWide;
}

/** A user who opens a trace is not new, even if the store was emptied since. */
function isTracePage(path: string): boolean {
  return path.startsWith("/traces/");
}

/** Shows or hides the names and remembers the choice. */
export function toggleRail({ preferences, traces }: Pick<AppStores, "preferences" | "traces">): void {
  const isNew = isFirstRun(traces.getState()) && !isTracePage(window.location.pathname);
  const query = isNew ? ROOMY : WIDE;
  preferences.setState(({ railOpen }) => ({ railOpen: !(railOpen ?? window.matchMedia(query).matches) }));
}
