import { counted } from "../runtime/counted.js";

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
/** A hundred years. */
const MAX_SECONDS = 3_155_760_000;

/** Parses `30m`, `12h`, `7d`. @returns the seconds; undefined if the text is no duration up to a hundred years. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,10}(?:\.\d{1,3})?)([smhdw])$/.exec(text) ?? [];
  if (number === undefined || unit === undefined) return undefined;
  const seconds = Number(number) * SECONDS[unit as keyof typeof SECONDS];
  return seconds <= MAX_SECONDS ? seconds : undefined;
}

const UNITS = [
  ["day", SECONDS.d],
  ["hour", SECONDS.h],
  ["minute", SECONDS.m],
  ["second", SECONDS.s],
] as const;

/** `14 days`, `90 minutes`: in the largest unit without a fraction. */
export function formatDuration(seconds: number): string {
  for (const [name, size] of UNITS) {
    if (seconds % size !== 0 || seconds < size) continue;
    return counted(seconds / size, name);
  }
  return `${seconds} seconds`;
}

/** `3 hours` for 11,000 seconds: in whole units of the largest kind. */
export function roughDuration(seconds: number): string {
  const size = UNITS.find(([, unit]) => seconds >= unit)?.[1] ?? 1;
  return formatDuration(Math.max(1, Math.floor(seconds / size)) * size);
}
