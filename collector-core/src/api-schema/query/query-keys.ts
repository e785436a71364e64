/** Keys with texts: a trace has some of the values, or none. */
export type LabelKey =
  | "name"
  | "service"
  | "env"
  | "version"
  | "agent"
  | "model"
  | "provider"
  | "tool"
  | "session"
  | "user"
  | "tenant"
  | "prompt"
  | "prompt_version"
  | "status"
  | "error_type"
  | "type"
  | "trace_id"
  | "has"
  | "has_evaluation"
  | "tool_output";

/** Keys with numbers. */
export type NumberKey = "duration" | "ttft" | "tokens" | "tokens_in" | "tokens_out" | "cost";

/** Keys with numbers of a whole session. */
export type SessionNumberKey = "turns" | "session_cost";

/** Keys with what a whole session is. */
export type SessionLabelKey = "state" | "feedback";

/** What a key compares, and how its values are written. */
export interface QueryKey {
  readonly name: string;
  readonly meaning: string;
  readonly condition:
    | { readonly kind: "label"; readonly key: LabelKey; readonly values?: readonly string[] }
    | { readonly kind: "number"; readonly key: NumberKey; readonly unit: Unit; readonly bare?: "min" }
    | { readonly kind: "time"; readonly bare: "min" | "max" }
    | { readonly kind: "score" }
    /** Of a whole session: only lists of sessions compare it. */
    | { readonly kind: "session_number"; readonly key: SessionNumberKey; readonly unit: Unit }
    | {
        readonly kind: "session_label";
        readonly key: SessionLabelKey;
        readonly values: readonly SessionMark[];
      };
  /** An older name: understood, and not offered. */
  readonly isHidden?: true;
}

/** How a number is written: `2s`, `$0.1`, `12k`. */
export type Unit = "ms" | "usd" | "count";

/** The values of `has`. */
export const HAS_VALUES = ["error", "score", "image", "tool_error"] as const;
/** One of {@link HAS_VALUES}. */
export type HasValue = (typeof HAS_VALUES)[number];
/** The values of `tool_output`. */
export const TOOL_OUTPUT_VALUES = ["empty"] as const;
/** The values of `state`. */
export const SESSION_STATES = ["running", "idle", "failed"] as const;
/** The values of `feedback`. */
export const FEEDBACK_VALUES = ["up", "down", "none"] as const;
/** What a session can be. */
export type SessionMark = (typeof SESSION_STATES)[number] | (typeof FEEDBACK_VALUES)[number];
/** Statuses whose letter case does not matter. */
export const KNOWN_STATUSES = ["OK", "ERROR", "RUNNING", "ABANDONED"] as const;

const label = (key: LabelKey, meaning: string, name: string = key): QueryKey => ({
  name,
  meaning,
  condition: { kind: "label", key },
});
const choice = (key: LabelKey, values: readonly string[], meaning: string): QueryKey => ({
  name: key,
  meaning,
  condition: { kind: "label", key, values },
});
const number = (key: NumberKey, unit: Unit, meaning: string): QueryKey => ({
  name: key,
  meaning,
  condition: { kind: "number", key, unit },
});

/** The keys of the language, in the order in which they are offered. */
export const QUERY_KEYS: readonly QueryKey[] = [
  label("name", "Name of the run"),
  label("service", "Service that a span ran in"),
  label("env", "Environment, such as production"),
  label("version", "Version of the application"),
  label("agent", "Agent that took part"),
  label("model", "Model that was called"),
  label("provider", "Provider of the model"),
  label("tool", "Tool that was called"),
  label("session", "Session of the run"),
  label("user", "User of the run"),
  label("tenant", "Tenant that sent the spans"),
  label("prompt", "Prompt that was used, or prompt@version"),
  label("prompt_version", "Version of a prompt that was used"),
  label("status", "OK, ERROR, RUNNING or ABANDONED"),
  label("error_type", "Category of an error, such as timeout"),
  label("type", "A span of this type, such as retrieval"),
  number("duration", "ms", "How long the run took: >2s, 100ms..1s"),
  number("ttft", "ms", "Time to the first token: >500ms"),
  number("tokens", "count", "Tokens, input and output: >10k"),
  number("tokens_in", "count", "Input tokens"),
  number("tokens_out", "count", "Output tokens"),
  number("cost", "usd", "Cost in USD: >0.10"),
  { name: "score", meaning: "An evaluation: relevance, relevance<0.5", condition: { kind: "score" } },
  {
    name: "start",
    meaning: "When the run began: >-2h, or RFC 3339",
    condition: { kind: "time", bare: "min" },
  },
  choice("has", HAS_VALUES, "error, score, image or tool_error"),
  choice("tool_output", TOOL_OUTPUT_VALUES, "empty: a tool returned nothing"),
  label("trace_id", "One trace"),
  {
    name: "state",
    meaning: "running, idle, or failed: a span failed",
    condition: { kind: "session_label", key: "state", values: SESSION_STATES },
  },
  {
    name: "feedback",
    meaning: "up, down or none: the thumbs of the user",
    condition: { kind: "session_label", key: "feedback", values: FEEDBACK_VALUES },
  },
  {
    name: "turns",
    meaning: "Traces of the session: >5, 2..10",
    condition: { kind: "session_number", key: "turns", unit: "count" },
  },
  {
    name: "session_cost",
    meaning: "Cost of the session in USD: >0.10",
    condition: { kind: "session_number", key: "session_cost", unit: "usd" },
  },
  { ...label("has_evaluation", "true, false, or what was judged"), isHidden: true },
  { ...label("type", "A span of this type", "span_type"), isHidden: true },
  { ...label("name", "Name of the run", "root_name"), isHidden: true },
  { ...label("session", "Session of the run", "session_id"), isHidden: true },
  { ...label("user", "User of the run", "user_id"), isHidden: true },
  {
    name: "min_duration_ms",
    meaning: "Milliseconds that the run took at least",
    condition: { kind: "number", key: "duration", unit: "ms", bare: "min" },
    isHidden: true,
  },
  {
    name: "since",
    meaning: "Started then or later",
    condition: { kind: "time", bare: "min" },
    isHidden: true,
  },
  { name: "until", meaning: "Started before", condition: { kind: "time", bare: "max" }, isHidden: true },
];

const BY_NAME: ReadonlyMap<string, QueryKey> = new Map(QUERY_KEYS.map((key) => [key.name, key]));

/** What a query is about. A query about sessions has conditions on their traces too. */
export type QuerySubject = "traces" | "sessions";

/** True for a key of whole sessions. */
export function isSessionKey({ condition: { kind } }: QueryKey): boolean {
  return kind === "session_number" || kind === "session_label";
}

/** The key of that name, in any letter case. */
export function findQueryKey(name: string): QueryKey | undefined {
  return BY_NAME.get(name.toLowerCase());
}
