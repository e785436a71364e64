import { existsSync } from "node:fs";
import { DEFAULT_URL } from "../collector-url.js";
import { urlHost } from "../../runtime/url-host.js";
import { roughDuration } from "../durations.js";
import { safeLine } from "../output/safe-text.js";
import { ok, problem, warning, type Finding } from "./finding.js";
import { fieldsOf, numberOf, textOf } from "./answer-fields.js";
import { checkTraffic } from "./check-traffic.js";
import { ask, connectTo, type Answer } from "./probe.js";
import { remedyFor } from "./refusal-remedies.js";

/** Which collector is looked at. */
export interface CollectorOptions {
  readonly url: URL;
  readonly apiKey: string | undefined;
  readonly tenant: string | undefined;
  readonly nowMs: () => number;
}

/** What the checks have found, and whether a collector answers: without one, nothing else can be asked. */
export interface CollectorFindings {
  readonly isThere: boolean;
  readonly findings: readonly Finding[];
}

/** The Date header has whole seconds. */
const MAX_SKEW_MS = 5000;
const FULL_PCT = 80;

/** Looks whether the collector can be reached, accepts spans, and keeps them. */
export async function checkCollector(options: CollectorOptions): Promise<CollectorFindings> {
  const { url, apiKey, tenant } = options;
  const base = url.origin + url.pathname.replace(/\/$/, "");
  const unreachable = await checkConnection(url);
  if (unreachable !== undefined)
    return { isThere: false, findings: [unreachable, ...(await elsewhere(base))] };

  const headers = {
    ...(apiKey !== undefined && { "X-API-Key": apiKey }),
    ...(tenant !== undefined && { "X-Tenant-ID": tenant }),
  };
  const health = await ask(`${base}/health`, headers);
  const refused = notACollector(base, health);
  if (refused !== undefined) return { isThere: false, findings: [refused, ...(await elsewhere(base))] };

  const { json, date } = health as Answer;
  const { version, uptime_seconds: uptime } = fieldsOf(json);
  const since = roughDuration(numberOf(uptime));
  const key = await checkKey(base, headers, apiKey);
  const nowMs = options.nowMs();
  const findings = [
    ok("address", `A collector answers at ${base}: version ${safeLine(textOf(version))}, up ${since}.`),
    ...(url.hostname === "localhost" ? await checkLocalhost(url) : []),
    ...checkClock(date, nowMs),
    key,
    ...(await checkReadiness(base, headers)),
    ...(key.status === "problem" ? [] : await checkTraffic(base, headers, nowMs)),
  ];
  return { isThere: true, findings };
}

async function checkConnection(url: URL): Promise<Finding | undefined> {
  const host = urlHost(url);
  const port = portOf(url);
  const failure = await connectTo(host, port);
  if (failure === undefined) return undefined;
  const where = `${url.hostname}:${port}`;
  if (failure === "ENOTFOUND" || failure === "EAI_AGAIN")
    return problem(
      "address",
      `The name ${url.hostname} is unknown (${failure}).`,
      "Check the host in OBS_PUSH_URL or --url.",
    );
  if (failure !== "ECONNREFUSED")
    return problem(
      "address",
      `${where} cannot be reached (${failure}).`,
      "Check the address, and the firewall between.",
    );
  const other = otherLoopback(host);
  if (other !== undefined && (await connectTo(other, port)) === undefined)
    return problem(
      "address",
      `Nothing listens at ${where}, but something does at ${other.includes(":") ? `[${other}]` : other}:${port}.`,
      `Use that address, or bind the collector to ${host}: OBS_SERVER_HOST=${host}.`,
    );
  const inContainer = otherLoopback(host) !== undefined && existsSync("/.dockerenv");
  return problem(
    "address",
    `Nothing listens at ${where}.`,
    inContainer
      ? "Start the collector: `obspan serve --local`. If it is outside of this container, name its host: 127.0.0.1 is the container."
      : "Start the collector: `obspan serve --local`.",
  );
}

/** The other address of the same machine. */
function otherLoopback(host: string): string | undefined {
  if (host === "127.0.0.1") return "::1";
  return host === "::1" || host === "localhost" ? "127.0.0.1" : undefined;
}

/** `localhost` is two addresses. A client that tries one of them only may try the wrong one. */
async function checkLocalhost(url: URL): Promise<Finding[]> {
  const port = portOf(url);
  const [v4, v6] = await Promise.all([connectTo("127.0.0.1", port), connectTo("::1", port)]);
  if ((v4 === undefined) === (v6 === undefined)) return [];
  const [there, missing] = v4 === undefined ? ["127.0.0.1", "::1"] : ["::1", "127.0.0.1"];
  return [
    warning(
      "address",
      `The collector listens at ${there} and not at ${missing}. Some clients take localhost for ${missing} alone.`,
      `Name ${there === "::1" ? "[::1]" : there} instead of localhost.`,
    ),
  ];
}

/** A collector where people expect one, if it is not there where it was looked for. */
async function elsewhere(base: string): Promise<Finding[]> {
  if (base === DEFAULT_URL) return [];
  const health = await ask(`${DEFAULT_URL}/health`, {});
  if (notACollector(DEFAULT_URL, health) !== undefined) return [];
  return [warning("address", `A collector answers at ${DEFAULT_URL}.`, `Set OBS_PUSH_URL=${DEFAULT_URL}.`)];
}

function notACollector(base: string, answer: Answer | { readonly failure: string }): Finding | undefined {
  if ("failure" in answer)
    return problem(
      "address",
      `Something listens at ${base} and does not answer as a collector does (${answer.failure}).`,
      "Check the port, and http or https.",
    );
  const { status, json, server } = answer;
  const code = errorCode(json);
  if (code === "host_not_allowed" || code === "origin_not_allowed")
    return problem("address", `The collector refuses this name of its host (${code}).`, remedyFor(code));
  const isCollector = typeof fieldsOf(json)["uptime_seconds"] === "number";
  if (isCollector) return undefined;
  const name = server === undefined ? "" : `, ${safeLine(server).slice(0, 100)}`;
  return problem(
    "address",
    `Something else than a collector answers at ${base} (status ${status}${name}).`,
    "Check the port in OBS_PUSH_URL or --url, or start the collector on another one: OBS_SERVER_PORT.",
  );
}

function checkClock(date: Date | undefined, nowMs: number): Finding[] {
  if (date === undefined) return [];
  const skewMs = date.getTime() - nowMs;
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return [ok("clock", "The clocks agree.")];
  const amount = roughDuration(Math.abs(skewMs) / 1000);
  return [
    warning(
      "clock",
      `The clock of the collector is ${amount} ${skewMs > 0 ? "ahead of" : "behind"} this one.`,
      "Set both by NTP: filters by time and the order of traces go by the clock of the app.",
    ),
  ];
}

/** Sends a batch without spans: it passes every check of a request, and leaves nothing. */
async function checkKey(
  base: string,
  headers: Readonly<Record<string, string>>,
  apiKey: string | undefined,
): Promise<Finding> {
  const answer = await ask(
    `${base}/v1/telemetry`,
    headers,
    JSON.stringify({ service: "obspan-doctor", spans: [] }),
  );
  if ("failure" in answer)
    return problem("send", `The collector does not answer a batch (${answer.failure}).`, "Look at its log.");
  if (answer.status === 202)
    return ok(
      "send",
      apiKey === undefined
        ? "It accepts spans, and asks for no key."
        : "It accepts spans with the key in OBS_API_KEY.",
    );
  const code = errorCode(answer.json) ?? `status ${answer.status}`;
  if (answer.status === 401)
    return apiKey === undefined
      ? problem(
          "key",
          "The collector asks for a key, and OBS_API_KEY is not set.",
          "Set OBS_API_KEY to one of auth.api_keys.",
        )
      : problem(
          "key",
          "The collector refuses the key in OBS_API_KEY.",
          "Set it to one of auth.api_keys of the collector.",
        );
  return problem("send", `The collector refuses a batch (${code}).`, remedyFor(code));
}

async function checkReadiness(base: string, headers: Readonly<Record<string, string>>): Promise<Finding[]> {
  const answer = await ask(`${base}/ready`, headers);
  if ("failure" in answer) return [];
  const { queue_pct: used, reasons } = fieldsOf(answer.json);
  const pct = numberOf(used);
  if (answer.status !== 200)
    return [
      problem(
        "queue",
        `The collector is not ready: ${safeLine(Array.isArray(reasons) ? reasons.map(textOf).join(", ") : "")}.`,
        "Senders retry. Send less, or raise limits.max_queue_size, if it stays.",
      ),
    ];
  return pct >= FULL_PCT
    ? [
        warning(
          "queue",
          `The queue is ${Math.round(pct)} % full.`,
          "Spans wait. Send less, or give the collector more CPU.",
        ),
      ]
    : [];
}

function errorCode(json: unknown): string | undefined {
  return textOf(fieldsOf(fieldsOf(json)["error"])["code"]) || undefined;
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}
