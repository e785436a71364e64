import { endOfMessage, readKeyValue, readKeyValues, readText, RequestReader } from "./read-any-value.js";
import type {
  OtlpEvent,
  OtlpLink,
  OtlpResourceSpans,
  OtlpScope,
  OtlpScopeSpans,
  OtlpSpan,
  OtlpTraceRequest,
} from "./received-spans.js";

/**
 * Decodes an `ExportTraceServiceRequest` in protobuf by its field numbers (`proto/opentelemetry`) and ignores unknown
 * fields. Decodes directly into the input of the mapping: the intermediate messages of the library would cost more than
 * the mapping itself. `read-large-protobuf.ts` decodes a large request in steps.
 *
 * @throws `Error` if the bytes are not valid protobuf; `TooDeepValue`, `TooManyMessages`.
 */
export function readProtobufRequest(body: Uint8Array): OtlpTraceRequest {
  const request: OtlpResourceSpans[] = [];
  readRequestFields(new RequestReader(body), request, body.byteLength);
  return request;
}

/** A `Span` while it is read. */
export interface ReadSpan extends Mutable<OtlpSpan> {
  readonly events: OtlpEvent[];
  readonly links: OtlpLink[];
}

/** A message while it is read. */
export type Mutable<Message> = { -readonly [Key in keyof Message]: Message[Key] };

/** A `ResourceSpans` while it is read. */
export interface ReadResourceSpans extends OtlpResourceSpans {
  readonly scopes: OtlpScopeSpans[];
}

/** A `ScopeSpans` while it is read. */
export interface ReadScopeSpans extends OtlpScopeSpans {
  readonly scope: Mutable<OtlpScope>;
  readonly spans: OtlpSpan[];
}

/** Reads fields of the request up to a position. */
export function readRequestFields(reader: RequestReader, request: OtlpResourceSpans[], end: number): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === 1) {
      const resourceSpans = newResourceSpans(reader);
      request.push(resourceSpans);
      readResourceSpansFields(reader, resourceSpans, endOfMessage(reader));
    } else reader.skip(wireType, field);
  }
}

/** Counts and creates an empty `ResourceSpans`. @throws `TooManyMessages`. */
export function newResourceSpans(reader: RequestReader): ReadResourceSpans {
  reader.budget.takeMessage();
  return { resource: new Map(), scopes: [] };
}

/** Reads fields of a `ResourceSpans` up to a position. */
export function readResourceSpansFields(
  reader: RequestReader,
  { resource, scopes }: ReadResourceSpans,
  end: number,
): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === 1) readKeyValues(reader, resource);
    else if (field === 2) {
      const scopeSpans = newScopeSpans(reader);
      scopes.push(scopeSpans);
      readScopeSpansFields(reader, scopeSpans, endOfMessage(reader));
    } else reader.skip(wireType, field);
  }
}

/** Counts and creates an empty `ScopeSpans`. @throws `TooManyMessages`. */
export function newScopeSpans(reader: RequestReader): ReadScopeSpans {
  reader.budget.takeMessage();
  return { scope: { name: "", version: "" }, spans: [] };
}

/** Reads fields of a `ScopeSpans` up to a position. */
export function readScopeSpansFields(
  reader: RequestReader,
  { scope, spans }: ReadScopeSpans,
  end: number,
): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === 1) readScopeFields(reader, scope, endOfMessage(reader));
    else if (field === 2) {
      const span = newSpan(reader);
      spans.push(span);
      readSpanFields(reader, span, endOfMessage(reader));
    } else reader.skip(wireType, field);
  }
}

/** Reads fields of an `InstrumentationScope` up to a position. */
export function readScopeFields(reader: RequestReader, scope: Mutable<OtlpScope>, end: number): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === 1) scope.name = readText(reader);
    else if (field === 2) scope.version = readText(reader);
    else reader.skip(wireType, field);
  }
}

/** Counts and creates an empty `Span`. @throws `TooManyMessages`. */
export function newSpan(reader: RequestReader): ReadSpan {
  reader.budget.takeMessage();
  return {
    traceId: "",
    spanId: "",
    parentSpanId: "",
    traceState: "",
    name: "",
    kind: 0,
    startUnixNano: 0n,
    endUnixNano: 0n,
    attributes: new Map(),
    events: [],
    links: [],
    statusCode: 0,
    statusMessage: "",
  };
}

/** Reads fields of a `Span` up to a position. */
export function readSpanFields(reader: RequestReader, span: ReadSpan, end: number): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    switch (field) {
      case 1:
        span.traceId = hexId(reader.bytes(), 16);
        break;
      case 2:
        span.spanId = hexId(reader.bytes(), 8);
        break;
      case 3:
        span.traceState = readText(reader);
        break;
      case 4:
        span.parentSpanId = hexId(reader.bytes(), 8);
        break;
      case 5:
        span.name = readText(reader);
        break;
      case 6:
        span.kind = reader.int32();
        break;
      case 7:
        span.startUnixNano = BigInt(reader.fixed64());
        break;
      case 8:
        span.endUnixNano = BigInt(reader.fixed64());
        break;
      case 9:
        readKeyValue(reader, span.attributes);
        break;
      case 11: {
        const event = newEvent(reader);
        span.events.push(event);
        readEventFields(reader, event, endOfMessage(reader));
        break;
      }
      case 13: {
        const link = newLink(reader);
        span.links.push(link);
        readLinkFields(reader, link, endOfMessage(reader));
        break;
      }
      case 15:
        readStatusFields(reader, span, endOfMessage(reader));
        break;
      default:
        reader.skip(wireType, field);
    }
  }
}

/** Counts and creates an empty `Event`. @throws `TooManyMessages`. */
export function newEvent(reader: RequestReader): Mutable<OtlpEvent> {
  reader.budget.takeMessage();
  return { name: "", timeUnixNano: 0n, attributes: new Map() };
}

/** Reads fields of an `Event` up to a position. */
export function readEventFields(reader: RequestReader, event: Mutable<OtlpEvent>, end: number): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === 1) event.timeUnixNano = BigInt(reader.fixed64());
    else if (field === 2) event.name = readText(reader);
    else if (field === 3) readKeyValue(reader, event.attributes);
    else reader.skip(wireType, field);
  }
}

/** Counts and creates an empty `Link`. @throws `TooManyMessages`. */
export function newLink(reader: RequestReader): Mutable<OtlpLink> {
  reader.budget.takeMessage();
  return { traceId: "", spanId: "", traceState: "", attributes: new Map() };
}

/** Reads fields of a `Link` up to a position. */
export function readLinkFields(reader: RequestReader, link: Mutable<OtlpLink>, end: number): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === 1) link.traceId = hexId(reader.bytes(), 16);
    else if (field === 2) link.spanId = hexId(reader.bytes(), 8);
    else if (field === 3) link.traceState = readText(reader);
    else if (field === 4) readKeyValue(reader, link.attributes);
    else reader.skip(wireType, field);
  }
}

/** Reads fields of a `Status` up to a position. */
export function readStatusFields(reader: RequestReader, span: ReadSpan, end: number): void {
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === 2) span.statusMessage = readText(reader);
    else if (field === 3) span.statusCode = reader.int32();
    else reader.skip(wireType, field);
  }
}

/** `""` if the id has another length or is all zeros, which means none. */
function hexId(bytes: Uint8Array, length: number): string {
  if (bytes.length !== length) return "";
  // The decoder returns subarrays of the body, which are Buffers if the body is one.
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, length);
  const hex = buffer.toString("hex");
  return hex === NO_TRACE_ID || hex === NO_SPAN_ID ? "" : hex;
}

const NO_TRACE_ID = "0".repeat(32);
const NO_SPAN_ID = "0".repeat(16);
