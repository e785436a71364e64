/** Ids of 8 bytes and more as OpenTelemetry, UUIDs and our own SDK write them. */
const ID_SHAPE = /^(?:[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** The id that a text may name: what stands after `#`, or what looks like one. Undefined where it is words. */
export function likelyTraceId(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith("#")) return trimmed.slice(1).trim() || undefined;
  return ID_SHAPE.test(trimmed) ? trimmed : undefined;
}
