/** A span to write. Its status is OK. */
export interface LineSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** In epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A line of a trace file: an OTLP-JSON request, as POST /v1/import reads it. */
export function otlpLine(resource: Readonly<Record<string, string>>, spans: readonly LineSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: "obspan" }, spans: spans.map(otlpSpan) }],
      },
    ],
  });
}

function otlpSpan({ traceId, spanId, parentSpanId, name, startMs, endMs, attributes }: LineSpan): object {
  // OTLP has no structured values in attributes that every sender writes: they are JSON texts, named in one more attribute.
  const jsonKeys = Object.keys(attributes).filter((key) => typeof attributes[key] === "object");
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: 1,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues({ ...attributes, "obspan.json_keys": jsonKeys }),
    status: { code: 1 },
  };
}

function keyValues(attributes: Readonly<Record<string, unknown>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(key, value) }));
}

function anyValue(key: string, value: unknown): object {
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (typeof value === "string") return { stringValue: value };
  if (key === "obspan.json_keys" && Array.isArray(value))
    return { arrayValue: { values: value.map((each) => ({ stringValue: String(each) })) } };
  return { stringValue: JSON.stringify(value) };
}

/** Whole milliseconds as nanoseconds, which a number cannot hold. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms)}000000`;
}
