import type { Config } from "./options.js";

/** Traces of a collector that serves one user are kept for 14 days. */
const TTL_SECONDS = 14 * 24 * 3600;

/**
 * Defaults of a collector that serves the user of this machine.
 *
 * @param traceDirectory - where traces are kept; undefined keeps them in memory.
 */
export function localDefaults(traceDirectory: string | undefined): Partial<Config> {
  return {
    "server.host": "127.0.0.1",
    ...(traceDirectory !== undefined && {
      "trace_store.path": traceDirectory,
      "trace_store.ttl_seconds": TTL_SECONDS,
    }),
  };
}
