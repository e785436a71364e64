import { ApiError } from "../../api-schema/errors.js";
import type { TraceStore } from "../../interfaces.js";
import { asDuration } from "./formats.js";

/** What a resource shows. */
export type ResourceReference = { readonly kind: "trace" | "session"; readonly id: string };

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: "obspan://trace/{trace_id}",
    name: "trace",
    title: "A trace",
    description: "One run of an app: totals, errors and numbered steps, as get_trace answers.",
    mimeType: "text/markdown",
  },
  {
    uriTemplate: "obspan://session/{session_id}",
    name: "session",
    title: "A session",
    description: "A conversation, one line a turn, as get_session answers.",
    mimeType: "text/markdown",
  },
];

/** Resources of each kind that are listed. */
const LISTED = 20;
/** An id that says nothing: others were written by the sender, and are found through the tools. */
const PLAIN_ID = /^[0-9a-f-]{8,64}$/i;

/** The newest traces and sessions, without any text of a sender. */
export async function newestResources(
  store: TraceStore | undefined,
  tenant: string | undefined,
  signal: AbortSignal,
) {
  // A client asks for the list when it connects: that there are no traces is no failure.
  if (store === undefined) return [];
  const filter = { limit: LISTED, ...(tenant !== undefined && { tenant }) };
  const [page, sessions] = await Promise.all([store.list(filter, signal), store.sessions(filter, signal)]);
  return [
    ...page.traces
      .filter(({ trace_id: id }) => PLAIN_ID.test(id))
      .map((trace) => ({
        uri: `obspan://trace/${trace.trace_id}`,
        name: `Trace ${trace.start_time}`,
        description: `${trace.status === "ERROR" ? "Failed" : "Ran"} for ${asDuration(trace.duration_ms)}, ${trace.span_count} spans.`,
        mimeType: "text/markdown",
      })),
    ...sessions.sessions
      .filter(({ session_id: id }) => PLAIN_ID.test(id))
      .map((session) => ({
        uri: `obspan://session/${session.session_id}`,
        name: `Session, last at ${session.last_time}`,
        description: `${session.traces} turns.`,
        mimeType: "text/markdown",
      })),
  ];
}

/** @throws `ApiError` not_found. */
export function parseResource(uri: string): ResourceReference {
  const [, kind, encoded = ""] = /^obspan:\/\/(trace|session)\/(.{1,4000})$/s.exec(uri) ?? [];
  try {
    if (kind === "trace" || kind === "session") return { kind, id: decodeURIComponent(encoded) };
  } catch {
    // Not percent-encoded properly.
  }
  throw new ApiError(
    "not_found",
    "A resource is obspan://trace/{trace_id} or obspan://session/{session_id}, with the id percent-encoded.",
  );
}
