/** The formats of a trace or a session as a file, by their name in `GET /v1/traces/{trace_id}/export` (contract 9). */
export const SHARE_FORMATS = {
  jsonl: { type: "application/jsonl", ending: "otlp.jsonl" },
  markdown: { type: "text/markdown", ending: "md" },
  html: { type: "text/html", ending: "html" },
} as const;
/** A format of {@link SHARE_FORMATS}. */
export type ShareFormat = keyof typeof SHARE_FORMATS;
