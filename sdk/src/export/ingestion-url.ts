/** The path of ingestion (spec 4.1). */
const INGESTION_PATH = "/v1/telemetry";

/** Where batches are posted: `pushUrl` may be the base address, or the full ingestion URL. */
export function ingestionUrl(pushUrl: string): URL {
  const url = new URL(pushUrl);
  const path = url.pathname.replace(/\/+$/, "");
  url.pathname = path.endsWith(INGESTION_PATH) ? path : path + INGESTION_PATH;
  url.hash = "";
  return url;
}
