const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `23 min earlier`: how long one run started before or after another. */
export function distanceText(start: string, other: string): string | undefined {
  const ms = Date.parse(start) - Date.parse(other);
  if (!Number.isFinite(ms) || ms === 0) return undefined;
  return `${amountText(Math.abs(ms))} ${ms < 0 ? "earlier" : "later"}`;
}

function amountText(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(1, Math.round(ms / 1000))} s`;
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.round(ms / HOUR_MS)} h`;
  return `${Math.round(ms / DAY_MS)} d`;
}
