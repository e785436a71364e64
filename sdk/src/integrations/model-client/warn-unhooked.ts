import { warnOnce } from "../../capture/integration.js";
import { member, textOf } from "../json-fields.js";
import type { ClientLibrary } from "./client-library.js";

/** Warns once that a client has no method to record: it is a class, a client of another vendor, or frozen. */
export function warnUnhooked(client: unknown, { wrapper, expectedClient }: ClientLibrary): void {
  const message = `${wrapper}() records nothing: it expects ${expectedClient}, and got ${describe(client)}.`;
  warnOnce(message, message);
}

function describe(client: unknown): string {
  if (typeof client === "function") return `the class ${textOf(client.name) ?? "(anonymous)"}`;
  if (typeof client !== "object" || client === null) return client === null ? "null" : typeof client;
  const className = textOf(member(member(client, "constructor"), "name")) ?? "Object";
  return Object.isFrozen(client) ? `a frozen ${className}` : `an object of the class ${className}`;
}
