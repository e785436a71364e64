import { roughDuration } from "../durations.js";
import { safeLine } from "../output/safe-text.js";
import { fieldsOf, numberOf, objectsOf, textOf } from "./answer-fields.js";
import { ok, problem, warning, type Finding } from "./finding.js";
import { ask, type Answer } from "./probe.js";
import { remedyFor } from "./refusal-remedies.js";

const HOUR_MS = 3_600_000;

/** Looks at what has arrived, what was refused, and what could not be kept. */
export async function checkTraffic(
  base: string,
  headers: Readonly<Record<string, string>>,
  nowMs: number,
): Promise<Finding[]> {
  /** Nothing is said about what the collector does not tell. */
  const look = async (path: string, check: (answer: Answer) => Finding[]): Promise<Finding[]> => {
    const answer = await ask(base + path, headers);
    return "status" in answer && answer.status === 200 ? check(answer) : [];
  };
  const findings = await Promise.all([
    look("/metrics", ({ text }) => checkMetrics(text)),
    look("/v1/events", ({ json }) => checkEvents(json, nowMs)),
    look("/v1/config", ({ json }) => checkConfig(json)),
    look("/v1/traces?limit=1", ({ json }) => checkNewest(json, nowMs)),
  ]);
  return findings.flat();
}

function checkMetrics(text: string): Finding[] {
  const findings: Finding[] = [];
  const received = sum(text, "obs_spans_received_total");
  for (const [reason, count] of counts(text, "obs_spans_rejected_total"))
    findings.push(
      warning(
        "refused",
        `${spans(count)} of ${received} ${were(count)} rejected: ${reason}.`,
        remedyFor(reason),
      ),
    );
  for (const [reason, count] of counts(text, "obs_spans_dropped_total"))
    findings.push(
      warning(
        "dropped",
        `${spans(count)} ${were(count)} dropped: ${reason}.`,
        reason === "internal_error"
          ? "Look at the log of the collector."
          : "Raise limits.max_queue_size, or send less.",
      ),
    );
  for (const [reason, count] of counts(text, "obs_trace_store_unsaved_spans_total"))
    findings.push(
      problem(
        "disk",
        `${spans(count)} could not be saved: ${reason}.`,
        reason === "disk_full"
          ? "Make room on the disk of trace_store.path."
          : "Look at the log, and run `obspan store verify`.",
      ),
    );
  if (received === 0)
    findings.push(
      warning(
        "arrival",
        "No span has arrived since the collector started.",
        "Run `obspan run -- <your command>`, or see docs/guide/no-spans.md.",
      ),
    );
  return findings;
}

function checkEvents(json: unknown, nowMs: number): Finding[] {
  const byCode = new Map<string, { count: number; time: string; message: string; path: string }>();
  for (const refused of objectsOf(fieldsOf(json)["refused"])) {
    const code = textOf(refused["code"]);
    const count = numberOf(refused["count"]);
    const known = byCode.get(code);
    if (known !== undefined) known.count += count;
    else if (count > 0)
      byCode.set(code, {
        count,
        time: textOf(refused["time"]),
        message: textOf(refused["message"]),
        path: textOf(refused["path"]),
      });
  }
  return Array.from(byCode, ([code, { count, time, message, path }]) => {
    const requests = count === 1 ? "1 request" : `${count.toLocaleString("en-US")} requests`;
    return warning(
      "refused",
      `${requests} ${were(count)} refused with ${safeLine(code)}, the last ${ago(time, nowMs)} (${safeLine(path)}): ${safeLine(message).slice(0, 300)}`,
      remedyFor(code),
    );
  });
}

function checkConfig(json: unknown): Finding[] {
  const config = fieldsOf(fieldsOf(json)["config"]);
  const value = (key: string): unknown => fieldsOf(config[key])["value"];
  const findings: Finding[] = [];
  const rate = value("sampling.rate");
  if (typeof rate === "number" && rate < 1)
    findings.push(
      warning(
        "sampling",
        `sampling.rate is ${rate}: other traces are counted, and not kept.`,
        "Set it to 1 to keep all.",
      ),
    );
  if (value("trace_store.enabled") === false)
    findings.push(
      warning("sampling", "trace_store.enabled is off: there are metrics, and no traces.", "Turn it on."),
    );
  if (value("multi_tenant.enabled") === true)
    findings.push(
      warning(
        "tenant",
        "The collector has several tenants: spans without the tenant header belong to `unknown`.",
        "Set OBS_TENANT in the app, and choose the tenant in the viewer.",
      ),
    );
  return findings;
}

function checkNewest(json: unknown, nowMs: number): Finding[] {
  const [newest] = objectsOf(fieldsOf(json)["traces"]);
  const time = textOf(newest?.["start_time"]);
  if (time === "") return [];
  if (Date.parse(time) - nowMs > HOUR_MS)
    return [warning("clock", "The newest trace is in the future.", "Set the clock of the app.")];
  return [
    ok(
      "arrival",
      `The newest trace began ${ago(time, nowMs)}, of service ${safeLine(textOf(newest?.["service"]))}.`,
    ),
  ];
}

function ago(time: string, nowMs: number): string {
  const seconds = Math.round((nowMs - Date.parse(time)) / 1000);
  if (!Number.isFinite(seconds) || seconds < 1) return "just now";
  return `${roughDuration(seconds)} ago`;
}

function spans(count: number): string {
  return count === 1 ? "1 span" : `${count.toLocaleString("en-US")} spans`;
}

function were(count: number): string {
  return count === 1 ? "was" : "were";
}

/** The counts of a family that are not 0, by the reason in their labels. */
function counts(text: string, family: string): [string, number][] {
  return text.split("\n").flatMap((line): [string, number][] => {
    if (!line.startsWith(`${family}{`)) return [];
    const value = Number(line.slice(line.lastIndexOf(" ") + 1));
    const reason = /reason="([^"]{1,64})"/.exec(line)?.[1] ?? "";
    return value > 0 ? [[safeLine(reason), value]] : [];
  });
}

function sum(text: string, family: string): number {
  const lines = text
    .split("\n")
    .filter((line) => line.startsWith(`${family} `) || line.startsWith(`${family}{`));
  return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
