import type { LoadedConfig } from "../config/load-config.js";
import { isLoopback } from "../ingest/origin-guard.js";
import type { Logger } from "../logging/logger.js";

/** Warns if other machines can reach the collector and no API key is set. */
export function warnOfOpenBind({ config }: LoadedConfig, logger: Logger): void {
  const host = config["server.host"];
  if (isLoopback(host) || config["auth.api_keys"].length > 0) return;
  logger.warning(
    `Bound to ${host} without an API key: everyone who can reach this port can send spans and read traces. ` +
      "Set OBS_SERVER_HOST=127.0.0.1 to accept only this machine, or OBS_SERVER_AUTH_API_KEYS to require a key.",
  );
}
