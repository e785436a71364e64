import type { SessionKey } from "../../api/collector-api.js";
import { isDots } from "../../api/dot-ids.js";
import { decodeComponent, encodeComponent } from "../../api/url-component.js";

/** Path of the page that takes the session id in the query. */
const BY_QUERY = "by-id";

/** URL of a session, at one of its traces if named. */
export function sessionHref({ sessionId, tenant }: SessionKey, traceId?: string): string {
  const parameters = new URLSearchParams(tenant === undefined || tenant === "" ? {} : { tenant });
  if (traceId !== undefined) parameters.set("turn", traceId);
  if (isDots(sessionId)) parameters.set("session_id", sessionId);
  const query = parameters.toString();
  const path = `/sessions/${isDots(sessionId) ? BY_QUERY : encodeComponent(sessionId)}`;
  return query === "" ? path : `${path}?${query}`;
}

/** The session id in the page's URL. The router decodes it only partly, and an id may contain any character. */
export function sessionIdOf({ pathname, search }: Pick<Location, "pathname" | "search">): string {
  const named = new URLSearchParams(search).get("session_id");
  if (named !== null && isDots(named)) return named;
  return decodeComponent(pathname.split("/")[2] ?? "");
}

/** The trace in the page's URL that is selected first. */
export function turnOf(search: string): string | undefined {
  const turn = new URLSearchParams(search).get("turn");
  return turn === null || turn === "" ? undefined : turn;
}
