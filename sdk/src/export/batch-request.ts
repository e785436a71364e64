import type { Config } from "../config/options.js";
import type { Span } from "../wire/index.js";

/** The path of ingestion (spec 4.1). */
const INGESTION_PATH = "/v1/telemetry";

/** Where batches are posted: `pushUrl` may be the base address, or the full ingestion URL. */
export function ingestionUrl(pushUrl: string): URL {
  const url = new URL(pushUrl);
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  url.pathname = path.endsWith(INGESTION_PATH) ? path : path + INGESTION_PATH;
  url.hash = "";
  return url;
}

/** Most JSON in one request, about: the collector reads bodies of 10 MiB. */
export const MAX_BATCH_BYTES = 5 * 1024 * 1024;

/** The headers that every request carries beside those of HTTP. */
export function headersOf({ apiKey, tenant }: Config): Record<string, string> {
  return {
    ...(apiKey === undefined ? {} : { "X-API-Key": apiKey }),
    ...(tenant === undefined ? {} : { "X-Tenant-ID": tenant }),
  };
}

/** The body for a batch of spans. All at once: a call of JSON.stringify for each span would cost nearly twice as much. */
export function batchJson(
  { service, env, version }: Config,
  batchId: string,
  spans: readonly Span[],
): string {
  return JSON.stringify({ service, env, version, batch_id: batchId, spans });
}
