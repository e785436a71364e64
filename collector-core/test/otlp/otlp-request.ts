/** Attributes of a test as OTLP/JSON carries them. */
export function keyValues(attributes: Record<string, unknown>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: unknown): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === "object" && value !== null)
    return { kvlistValue: { values: keyValues(value as Record<string, unknown>) } };
  return {};
}

/** A span of a test, in OTLP/JSON. */
export interface TestSpan {
  readonly name?: string;
  readonly id?: string;
  readonly parent?: string;
  readonly trace?: string;
  readonly attributes?: Record<string, unknown>;
  readonly events?: readonly { name: string; attributes?: Record<string, unknown>; timeUnixNano?: string }[];
  readonly status?: { code?: number; message?: string };
  readonly kind?: number;
}

export const TRACE = "5b8efff798038103d269b633813fc60c";

/** An `ExportTraceServiceRequest` of one resource and one scope, in OTLP/JSON. */
export function otlpRequest(
  spans: readonly TestSpan[],
  {
    scope = "test",
    resource = { "service.name": "shop" },
  }: { scope?: string; resource?: Record<string, unknown> } = {},
): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [
          {
            scope: { name: scope },
            spans: spans.map((span, index) => ({
              traceId: span.trace ?? TRACE,
              spanId: spanId(span.id ?? String(index + 1)),
              ...(span.parent === undefined ? {} : { parentSpanId: spanId(span.parent) }),
              name: span.name ?? "span",
              kind: span.kind ?? 1,
              startTimeUnixNano: "1763694903384123456",
              endTimeUnixNano: "1763694904384123456",
              attributes: keyValues(span.attributes ?? {}),
              events: (span.events ?? []).map(({ attributes = {}, ...event }) => ({
                timeUnixNano: "1763694903584123456",
                ...event,
                attributes: keyValues(attributes),
              })),
              status: span.status ?? {},
            })),
          },
        ],
      },
    ],
  };
}

/** 16 hex digits of a short name. */
export function spanId(name: string): string {
  return Buffer.from(name).toString("hex").padStart(16, "0").slice(-16);
}
