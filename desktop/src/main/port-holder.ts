import { HealthSchema } from "@obspan/collector-core/api-schema";
import { Value } from "typebox/value";

/** Timeout for the request to the other server. */
const TIMEOUT_MS = 1000;

/** Describes the program that listens on a port of this machine, as far as it identifies itself. */
export async function describePortHolder(host: string, port: number): Promise<string> {
  try {
    const response = await fetch(`http://${reachable(host)}:${port}/health`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "manual",
    });
    const health: unknown = await response.json().catch(() => undefined);
    if (Value.Check(HealthSchema, health)) {
      return `Another Obspan collector (version ${health.version}) has been listening there for ${span(health.uptime_seconds)}.`;
    }
    const server = response.headers.get("server");
    return server === null
      ? "A web server is listening there."
      : `A web server (${server}) is listening there.`;
  } catch {
    return "Another program is listening there. It does not answer HTTP requests.";
  }
}

function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "localhost") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** `42 s`, `12 min`, `3 h`. */
function span(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
