import { costText } from "../../share/trace-facts.js";
import { safeLine } from "./safe-text.js";

/** `412`, `18.0k`, `1.2M`: for columns. */
export function countText(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1e6).toFixed(1)}M`;
}

/** `$0`, `$0.0309`, `$21.74`. */
export function moneyText(usd: number): string {
  return usd === 0 ? "$0" : costText(usd);
}

/** `2.4 %`, `31 %`: of a share from 0 to 1. */
export function percentText(ratio: number): string {
  return `${(ratio * 100).toFixed(ratio > 0 && ratio < 0.1 ? 1 : 0)} %`;
}

/**
 * `21 Nov 14:32:20`, or the time alone if it is today, in the time zone of the reader. A text that is no time stays, without effect
 * on the terminal.
 */
export function timeText(rfc3339: string, now: Date): string {
  const time = new Date(rfc3339);
  if (Number.isNaN(time.getTime())) return safeLine(rfc3339);
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(":");
  return time.toDateString() === now.toDateString() ? clock : `${dayText(time, now)} ${clock}`;
}

/** The same in at most 8 characters: `14:32:20`, `21 Nov`, or `Nov 2025` of another year. */
export function shortTimeText(rfc3339: string, now: Date): string {
  const time = new Date(rfc3339);
  if (Number.isNaN(time.getTime()) || time.toDateString() === now.toDateString())
    return timeText(rfc3339, now);
  const month = MONTHS[time.getMonth()] ?? "";
  return time.getFullYear() === now.getFullYear()
    ? `${time.getDate()} ${month}`
    : `${month} ${time.getFullYear()}`;
}

function dayText(time: Date, now: Date): string {
  const day = `${time.getDate()} ${MONTHS[time.getMonth()] ?? ""}`;
  return time.getFullYear() === now.getFullYear() ? day : `${day} ${time.getFullYear()}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
