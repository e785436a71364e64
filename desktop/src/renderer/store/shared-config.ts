import type { ConfigDescription } from "@obspan/collector-core/api-schema";
import type { CollectorApi } from "../api/collector-api.js";

/** Stores ask for the configuration when a page opens and when the feed connects, which is one moment. */
const SHARED_MS = 2000;

/** Reads the configuration of the collector, once for all who ask within a moment. */
export function createSharedConfig(
  { getConfig }: Pick<CollectorApi, "getConfig">,
  now = () => performance.now(),
): () => Promise<ConfigDescription> {
  let answer: Promise<ConfigDescription> | undefined;
  let askedAtMs = 0;
  return () => {
    if (answer !== undefined && now() - askedAtMs < SHARED_MS) return answer;
    askedAtMs = now();
    const asked = getConfig().catch((error: unknown) => {
      if (answer === asked) answer = undefined;
      throw error;
    });
    return (answer = asked);
  };
}
