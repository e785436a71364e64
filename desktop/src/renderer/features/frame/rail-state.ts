import { useMediaQuery } from "../../components/use-media-query.js";
import { usePreferences, useTraces, type AppStores } from "../../app-context.js";
import { isFirstRun } from "../../store/traces-state.js";

/** From this width on the rail shows names, unless the user chose otherwise. */
const WIDE = "(min-width: 1720px)";
/** At the first run it does so from this width on: nobody knows the icons yet. */
const ROOMY = "(min-width: 960px)";

/** Whether the rail shows names. */
export function useRailOpen(): boolean {
  const chosen = usePreferences(({ railOpen }) => railOpen);
  const isFirst = useTraces(isFirstRun);
  const isWide = useMediaQuery(isFirst ? ROOMY : WIDE);
  return chosen ?? isWide;
}

/** Shows or hides the names; what the user chose stays. */
export function toggleRail({ preferences, traces }: Pick<AppStores, "preferences" | "traces">): void {
  const query = isFirstRun(traces.getState()) ? ROOMY : WIDE;
  preferences.setState(({ railOpen }) => ({ railOpen: !(railOpen ?? window.matchMedia(query).matches) }));
}
