/** What traces are grouped by: keys of the query language. */
export const GROUP_KEYS = [
  "name",
  "service",
  "env",
  "version",
  "agent",
  "model",
  "provider",
  "tool",
  "session",
  "user",
  "tenant",
  "prompt",
  "prompt_version",
  "status",
  "error_type",
  "type",
] as const;
/** One of {@link GROUP_KEYS}. */
export type GroupKey = (typeof GROUP_KEYS)[number];

/** By what groups are ranked: which of more than 200 are listed, and in which order. */
export const GROUP_ORDERS = [
  "runs",
  "errors",
  "p50",
  "p95",
  "ttft",
  "tokens",
  "cost",
  "cost_per_run",
  "value",
] as const;
/** One of {@link GROUP_ORDERS}. */
export type GroupOrder = (typeof GROUP_ORDERS)[number];

/** Bounds of groups by attribute. */
export const GROUP_LIMITS = { attributeCharacters: 256, valueCharacters: 256 } as const;
