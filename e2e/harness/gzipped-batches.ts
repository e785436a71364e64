import { gzipSync } from "node:zlib";
import { rawRequest, type RawRequest } from "./raw-requests.js";

/** A compressed batch: ten megabytes of one letter become ten kilobytes. */
export function gzippedBatch(json: string, path = "/v1/telemetry"): RawRequest {
  return rawRequest({
    path,
    headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" },
    body: [gzipSync(json, { level: 1 })],
  });
}

/**
 * {@link gzippedBatch} for texts that differ only at the beginning. A gzip file may have several members, so the common
 * part is compressed once.
 */
export function createGzippedBatches(common: string): (start: string) => RawRequest {
  const end = gzipSync(common, { level: 1 });
  return (start) =>
    rawRequest({
      path: "/v1/telemetry",
      headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" },
      body: [gzipSync(start, { level: 1 }), end],
    });
}
