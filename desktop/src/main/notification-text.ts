import type { TraceSummary } from "@obspan/collector-core";
import { shortLine } from "./short-line.js";
import { tracePagePath } from "./trace-page.js";

/** What a notification says, and what a click on it shows. */
export interface NotificationText {
  readonly title: string;
  readonly body: string;
  /** Path of the page. */
  readonly path: string;
}

/** Longest text of a name: systems cut a longer one anywhere. */
const MAX_NAME = 80;

/** Text for runs that failed. Several are one notification: an outage must not fill the screen. */
export function failedRunsText(runs: readonly TraceSummary[]): NotificationText {
  const [run] = runs;
  if (run === undefined || runs.length > 1)
    return { title: `${runs.length} runs failed`, body: nameList(runs), path: "/traces" };
  const cause = run.error_type === null ? "" : ` (${run.error_type})`;
  return { title: "A run failed", body: `${runName(run)}${cause}`, path: pathOf(run) };
}

/** Text for runs that cost more than the limit. */
export function costlyRunsText(runs: readonly TraceSummary[], limitUsd: number): NotificationText {
  const [run] = runs;
  const over = `over $${limitUsd}`;
  if (run === undefined || runs.length > 1)
    return { title: `${runs.length} runs cost ${over} each`, body: nameList(runs), path: "/traces" };
  return {
    title: `A run cost ${over}`,
    body: `${runName(run)}: ${run.cost_source === "computed" ? "≈ " : ""}$${run.cost_usd.toFixed(2)}`,
    path: pathOf(run),
  };
}

function pathOf({ trace_id: traceId, tenant }: TraceSummary): string {
  return tracePagePath({ traceId, tenant });
}

function nameList(runs: readonly TraceSummary[]): string {
  const names = [...new Set(runs.map(runName))];
  return names.length > 3 ? `${names.slice(0, 3).join(", ")}, …` : names.join(", ");
}

function runName({ root_name: name, trace_id: id }: TraceSummary): string {
  return shortLine(name === "" ? id : name, MAX_NAME);
}
