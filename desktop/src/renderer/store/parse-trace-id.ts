/** Ids of at least 8 bytes in the formats of OpenTelemetry, UUIDs and our SDK. */
const ID_SHAPE = /^(?:[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** The trace id in a text: the part after `#`, or a text in the shape of an id. Undefined for words. */
export function parseTraceId(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith("#")) return trimmed.slice(1).trim() || undefined;
  return ID_SHAPE.test(trimmed) ? trimmed : undefined;
}
