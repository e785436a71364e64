/** Names the newest trace. */
export const LATEST = "latest";
/** Newest traces among which the beginning of an id is looked for. */
export const SHORT_ID_TRACES = 1000;

/** True if a text may be the beginning of an id, as lists in a terminal show it. */
export function isShortId(text: string): boolean {
  return /^[0-9a-f]{4,31}$/i.test(text);
}

/** The ids that begin with a text, each once. */
export function idsBeginningWith(
  text: string,
  traces: readonly { readonly trace_id: string }[],
): readonly string[] {
  const begin = text.toLowerCase();
  const ids = traces.map(({ trace_id: id }) => id).filter((id) => id.toLowerCase().startsWith(begin));
  return [...new Set(ids)];
}
