import { formatCount } from "../../format.js";

/** `47.2`, `186k`: short enough for an axis. */
export function compact(value: number): string {
  if (value >= 1000) return formatCount(Math.round(value)).replace(/\.0(?=[kM])/, "");
  if (value >= 100 || Number.isInteger(value)) return String(Math.round(value));
  return String(Number(value.toFixed(value < 1 ? 2 : 1)));
}

/** `0`, `600 ms`, `1.2 s`: zero needs no unit, which is not that of every line above it. */
export function shortDuration(ms: number): string {
  if (ms === 0) return "0";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${trimmed(ms / 1000)} s`;
  return `${trimmed(ms / 60_000)} m`;
}

export function shortCost(usd: number): string {
  if (usd >= 1000) return `$${compact(usd)}`;
  const amount = String(Number(usd.toPrecision(2)));
  // `$0.30` above `$0.15`.
  return `$${/^\d\.\d$/.test(amount) ? `${amount}0` : amount}`;
}

export function shortPercent(value: number): string {
  return `${trimmed(value)} %`;
}

export function percent(value: number): string {
  return `${value.toFixed(value > 0 && value < 10 ? 1 : 0)} %`;
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(1)));
}
