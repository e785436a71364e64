import type { SessionSummary } from "@obspan/collector-core/api-schema";
import { useEffect } from "react";
import { useLocation } from "wouter";
import { useSessions, useStores } from "../../app-context.js";
import { sessionRowKey } from "../../store/session-key.js";
import { sessionHref } from "./session-address.js";

/** The sessions beside the open one in the list; undefined if there is none. */
export interface SessionSteps {
  readonly openNewer: (() => void) | undefined;
  readonly openOlder: (() => void) | undefined;
}

/** Steps through the filtered list. Replaces the URL, so that Back still leads to the list. */
export function useSessionSteps(session: SessionSummary): SessionSteps {
  const { sessions } = useStores();
  const [, navigate] = useLocation();
  const rows = useSessions((state) => state.rows);
  const phase = useSessions((state) => state.phase);
  useEffect(() => {
    if (phase === "loading") void sessions.getState().load();
  }, [phase, sessions]);
  const key = sessionRowKey(session);
  const at = rows.findIndex((row) => sessionRowKey(row) === key);
  const opener = (row: SessionSummary | undefined): (() => void) | undefined =>
    row &&
    (() =>
      navigate(sessionHref({ sessionId: row.session_id, tenant: row.tenant }), {
        replace: true,
        state: window.history.state as unknown,
      }));
  return {
    openNewer: at > 0 ? opener(rows[at - 1]) : undefined,
    openOlder: at >= 0 ? opener(rows[at + 1]) : undefined,
  };
}
