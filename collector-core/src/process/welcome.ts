import { byteSizeText } from "../api-schema/byte-size.js";
import type { Config } from "../config/options.js";

const DAY_SECONDS = 24 * 3600;

/** What {@link welcome} says. */
export interface WelcomeOptions {
  readonly url: string;
  readonly hasUi: boolean;
  readonly config: Pick<
    Config,
    "trace_store.enabled" | "trace_store.url" | "trace_store.disk_max_bytes" | "trace_store.ttl_seconds"
  >;
  /** Directory of the trace file; undefined if traces are kept in memory. */
  readonly traceDirectory: string | undefined;
}

/** The text that a collector prints when it listens. */
export function welcome({ url, hasUi, config, traceDirectory }: WelcomeOptions): string {
  return `
  Traces    ${hasUi ? url : `${url}/v1/traces`}
  Metrics   ${url}/metrics
  API       ${url}/openapi.json
${config["trace_store.enabled"] ? kept(config, traceDirectory) : ""}
  Send a first trace:

    curl ${url}/v1/telemetry -H 'Content-Type: application/json' -d '{"service":"demo","spans":[
      {"name":"hello","span_type":"llm","trace_id":"first","duration_ms":420,"attributes":{"model":"gpt-5-mini","prompt_text":"Hi"}}]}'

`;
}

function kept(config: WelcomeOptions["config"], directory: string | undefined): string {
  const url = config["trace_store.url"];
  if (url !== undefined) return `  Kept      in ClickHouse at ${new URL(url).host}\n`;
  if (directory === undefined) return "  Kept      in memory, until the collector stops\n";
  const seconds = config["trace_store.ttl_seconds"];
  const age = seconds === 0 ? "without a limit of age" : `for ${duration(seconds)}`;
  return (
    `  Kept      in ${directory}\n` +
    `            up to ${byteSizeText(config["trace_store.disk_max_bytes"])}, ${age}; ` +
    `OBS_SERVER_TRACE_STORE_PATH=none keeps them in memory\n`
  );
}

function duration(seconds: number): string {
  const days = Number((seconds / DAY_SECONDS).toFixed(1));
  if (days >= 1) return days === 1 ? "1 day" : `${days} days`;
  return seconds >= 3600 ? `${Number((seconds / 3600).toFixed(1))} h` : `${seconds} s`;
}
