import type { CollectorSnapshot } from "./run-watch.js";
import { shortLine } from "./short-line.js";

/** States of the icon in the tray. */
export type TrayState = "idle" | "receiving" | "paused" | "error";

/** What the tray shows of the collector. */
export interface TrayView {
  readonly state: TrayState;
  /** One line, such as `Receiving 120 spans/s`. */
  readonly line: string;
  readonly toolTip: string;
}

/** Longest texts of a menu. */
const MAX_LABEL = 60;

/** Chooses icon and text. Trouble of the collector comes before a pause, which comes before the rate. */
export function trayView({ status, isPaused }: CollectorSnapshot): TrayView {
  const [state, line] = stateAndLine();
  return { state, line, toolTip: `Obspan: ${line}` };

  function stateAndLine(): [TrayState, string] {
    if (status.reasons.includes("shutting_down")) return ["idle", stoppingLine()];
    if (status.store?.state === "degraded")
      return ["error", `Traces are not saved: ${status.store.reason ?? "see the log"}`];
    const trouble = status.reasons.find((reason) => reason !== "paused");
    if (trouble !== undefined) return ["error", `Spans are refused: ${trouble}`];
    if (isPaused) return ["paused", "Paused: apps keep their spans and try again"];
    if (status.spans_per_second > 0)
      return ["receiving", `Receiving ${rateText(status.spans_per_second)} spans/s`];
    return ["idle", "Listening"];
  }

  function stoppingLine(): string {
    const left = status.queue_spans + status.ledger.in_flight;
    return left === 0 ? "Finishing" : `Finishing ${left.toLocaleString("en-US")} spans`;
  }
}

function rateText(spansPerSecond: number): string {
  return spansPerSecond < 10 ? String(spansPerSecond) : Math.round(spansPerSecond).toLocaleString("en-US");
}

/** A text in one short line. An ampersand would mark a shortcut. */
export function menuLabel(text: string): string {
  return shortLine(text, MAX_LABEL).replaceAll("&", "&&");
}

/** The file of the icon. macOS colours a template itself; Windows takes an .ico; others get a PNG. */
export function trayIconFile(state: TrayState, platform: NodeJS.Platform): string {
  if (platform === "darwin") return `${state}Template.png`;
  return platform === "win32" ? `${state}.ico` : `${state}.png`;
}
