/**
 * Records the model calls of an app without a change of its code:
 *
 * ```sh
 * OBS_PUSH_URL=http://127.0.0.1:8080 node --import @obspan/sdk/register app.js
 * ```
 *
 * @packageDocumentation
 */
import { hookFetch } from "../integrations/fetch/hook-fetch.js";

const hosts = (process.env["OBS_PROVIDER_HOSTS"] ?? "")
  .split(",")
  .map((host) => host.trim())
  .filter((host) => host !== "");
const hook = hookFetch(hosts);

if (process.env["OBS_DEBUG"] === "true" && hook !== undefined) {
  process.once("exit", () => {
    const calls = [...hook.recorded].map(([host, count]) => `${host} ${count}`).join(", ");
    console.error(`[obspan] fetch is hooked. Recorded requests: ${calls || "none"}.`);
  });
}
