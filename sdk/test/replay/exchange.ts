import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A recorded HTTP exchange with a provider. The README of the recordings explains its fields. */
export interface Exchange {
  readonly id: string;
  readonly provider: string;
  readonly api: string;
  readonly sequence?: { readonly group: string; readonly index: number };
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>> | null;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
    readonly sse: string | null;
    /** A body that is neither one JSON document nor server-sent events: NDJSON, or Amazon's binary event stream. */
    readonly raw?: { readonly encoding: "utf8" | "base64"; readonly text: string };
  };
  readonly expect: {
    readonly model: string | null;
    readonly request_model: string | null;
    readonly provider: string;
    readonly tokens_input: number | null;
    readonly tokens_output: number | null;
    readonly tokens_cached: number | null;
    readonly tokens_reasoning: number | null;
    readonly tokens_cache_write: number | null;
    readonly stream: boolean;
    readonly tool_calls: number;
    readonly error: boolean;
  };
}

const FOLDER = fileURLToPath(new URL("../fixtures/llm-traffic/", import.meta.url));

/** All recorded exchanges, by name. */
export function recordedExchanges(): Exchange[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => recordedExchange(name.replace(/\.json$/, "")));
}

/** One recorded exchange. Throws if there is none of that name. */
export function recordedExchange(id: string): Exchange {
  return JSON.parse(readFileSync(`${FOLDER}${id}.json`, "utf8")) as Exchange;
}
