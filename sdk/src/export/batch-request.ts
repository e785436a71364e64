import type { Config } from "../config/options.js";
import type { Span } from "../wire/index.js";

/** The path of ingestion (spec 4.1). */
const INGESTION_PATH = "/v1/telemetry";

/** The URL that batches are posted to. `pushUrl` may be the base address or the full ingestion URL. */
export function ingestionUrl(pushUrl: string): URL {
  const url = new URL(pushUrl);
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  url.pathname = path.endsWith(INGESTION_PATH) ? path : path + INGESTION_PATH;
  url.hash = "";
  return url;
}

/** Most JSON in one request, by the estimated sizes of its spans: the collector reads bodies of 10 MiB. */
export const MAX_BATCH_BYTES = 5 * 1024 * 1024;

/** The headers of the SDK that every request carries. */
export function headersOf({ apiKey, tenant, headers }: Config): Record<string, string> {
  return {
    ...headers,
    ...(apiKey === undefined ? {} : { "X-API-Key": apiKey }),
    ...(tenant === undefined ? {} : { "X-Tenant-ID": tenant }),
  };
}

/** The body of a batch. One call of `JSON.stringify`: a call for each span would cost nearly twice as much. */
export function batchJson(
  { service, env, version }: Config,
  batchId: string,
  spans: readonly Span[],
): string {
  return JSON.stringify({ service, env, version, batch_id: batchId, spans });
}
