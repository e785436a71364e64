import type { SessionSummary } from "@obspan/collector-core/api-schema";

/** A minimal session, with the given fields. */
export function session(id: string, fields: Partial<SessionSummary> = {}): SessionSummary {
  return {
    session_id: id,
    tenant: "",
    user_id: null,
    first_input_preview: null,
    last_output_preview: null,
    last_error_type: null,
    traces: 1,
    agents: [],
    models: [],
    start_time: "2026-11-21T10:00:00Z",
    last_time: "2026-11-21T10:00:01Z",
    active_ms: 1000,
    tokens_input: 0,
    tokens_output: 0,
    cost_usd: 0,
    cost_source: null,
    errors: 0,
    scores: [],
    worst_score: null,
    feedback: { up: 0, down: 0 },
    running: false,
    turns: [],
    ...fields,
  };
}
