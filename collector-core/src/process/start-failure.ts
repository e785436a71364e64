import type { LoadedConfig } from "../config/load-config.js";
import { errorCode, errorMessage } from "../runtime/describe-error.js";

/** Describes why a collector failed to start, and the remedy, in one line. */
export function startFailure(error: unknown, { config }: LoadedConfig): string {
  const where = `port ${config["server.port"]} of ${config["server.host"]}`;
  switch (errorCode(error) ?? "") {
    case "EADDRINUSE":
      return `Cannot listen: ${where} is in use. Stop the process that uses it, or set OBS_SERVER_PORT to another port.`;
    case "EACCES":
      return `Cannot listen: this user may not bind ${where}. Set OBS_SERVER_PORT to a port above 1023.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `Cannot listen: the name ${config["server.host"]} cannot be resolved. Set OBS_SERVER_HOST to an address of this machine.`;
    case "EADDRNOTAVAIL":
      return `Cannot listen: this machine has no address ${config["server.host"]}. Set OBS_SERVER_HOST to an address of this machine.`;
    default:
      return `Cannot start: ${errorMessage(error)}`;
  }
}

/** True if the port is in use. */
export function isPortInUse(error: unknown): boolean {
  return errorCode(error) === "EADDRINUSE";
}
