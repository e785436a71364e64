import type { LoadedConfig } from "../config/load-config.js";
import { isLoopback } from "../ingest/origin-guard.js";
import type { Logger } from "../logging/logger.js";

/** Says so where others than this machine can reach the collector. */
export function warnOfOpenBind({ config }: LoadedConfig, logger: Logger): void {
  const host = config["server.host"];
  if (isLoopback(host) || config["auth.api_keys"].length > 0) return;
  logger.warning(
    `Bound to ${host} without an API key: whoever reaches this port can send spans and read traces. ` +
      "Set OBS_SERVER_HOST=127.0.0.1 to keep it to this machine, or OBS_SERVER_AUTH_API_KEYS to ask for a key.",
  );
}
