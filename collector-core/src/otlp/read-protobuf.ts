import {
  knownFields,
  readKeyValue,
  readKeyValuesFields,
  readText,
  RequestReader,
  WIRE,
} from "./read-any-value.js";
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

const REQUEST = knownFields({ 1: WIRE.length });
const RESOURCE_SPANS = knownFields({ 1: WIRE.length, 2: WIRE.length });
const SCOPE_SPANS = knownFields({ 1: WIRE.length, 2: WIRE.length });
const SCOPE = knownFields({ 1: WIRE.length, 2: WIRE.length });
const SPAN = knownFields({
  1: WIRE.length,
  2: WIRE.length,
  3: WIRE.length,
  4: WIRE.length,
  5: WIRE.length,
  6: WIRE.varint,
  7: WIRE.bits64,
  8: WIRE.bits64,
  9: WIRE.length,
  11: WIRE.length,
  13: WIRE.length,
  15: WIRE.length,
});
const EVENT = knownFields({ 1: WIRE.bits64, 2: WIRE.length, 3: WIRE.length });
const LINK = knownFields({ 1: WIRE.length, 2: WIRE.length, 3: WIRE.length, 4: WIRE.length });
const STATUS = knownFields({ 2: WIRE.length, 3: WIRE.varint });

/** Reads fields of the request up to a position. */
export function readRequestFields(reader: RequestReader, request: OtlpResourceSpans[], end: number): void {
  while (reader.next(REQUEST, end) !== 0) {
    const resourceSpans = newResourceSpans(reader);
    request.push(resourceSpans);
    readResourceSpansFields(reader, resourceSpans, reader.endOfMessage(end));
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
  for (;;) {
    switch (reader.next(RESOURCE_SPANS, end)) {
      case 1:
        readKeyValuesFields(reader, resource, reader.endOfMessage(end));
        break;
      case 2: {
        const scopeSpans = newScopeSpans(reader);
        scopes.push(scopeSpans);
        readScopeSpansFields(reader, scopeSpans, reader.endOfMessage(end));
        break;
      }
      default:
        return;
    }
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
  for (;;) {
    switch (reader.next(SCOPE_SPANS, end)) {
      case 1:
        readScopeFields(reader, scope, reader.endOfMessage(end));
        break;
      case 2: {
        const span = newSpan(reader);
        spans.push(span);
        readSpanFields(reader, span, reader.endOfMessage(end));
        break;
      }
      default:
        return;
    }
  }
}

/** Reads fields of an `InstrumentationScope` up to a position. */
export function readScopeFields(reader: RequestReader, scope: Mutable<OtlpScope>, end: number): void {
  for (;;) {
    switch (reader.next(SCOPE, end)) {
      case 1:
        scope.name = readText(reader);
        break;
      case 2:
        scope.version = readText(reader);
        break;
      default:
        return;
    }
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
  for (;;) {
    switch (reader.next(SPAN, end)) {
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
        readKeyValue(reader, span.attributes, end);
        break;
      case 11: {
        const event = newEvent(reader);
        span.events.push(event);
        readEventFields(reader, event, reader.endOfMessage(end));
        break;
      }
      case 13: {
        const link = newLink(reader);
        span.links.push(link);
        readLinkFields(reader, link, reader.endOfMessage(end));
        break;
      }
      case 15:
        readStatusFields(reader, span, reader.endOfMessage(end));
        break;
      default:
        return;
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
  for (;;) {
    switch (reader.next(EVENT, end)) {
      case 1:
        event.timeUnixNano = BigInt(reader.fixed64());
        break;
      case 2:
        event.name = readText(reader);
        break;
      case 3:
        readKeyValue(reader, event.attributes, end);
        break;
      default:
        return;
    }
  }
}

/** Counts and creates an empty `Link`. @throws `TooManyMessages`. */
export function newLink(reader: RequestReader): Mutable<OtlpLink> {
  reader.budget.takeMessage();
  return { traceId: "", spanId: "", traceState: "", attributes: new Map() };
}

/** Reads fields of a `Link` up to a position. */
export function readLinkFields(reader: RequestReader, link: Mutable<OtlpLink>, end: number): void {
  for (;;) {
    switch (reader.next(LINK, end)) {
      case 1:
        link.traceId = hexId(reader.bytes(), 16);
        break;
      case 2:
        link.spanId = hexId(reader.bytes(), 8);
        break;
      case 3:
        link.traceState = readText(reader);
        break;
      case 4:
        readKeyValue(reader, link.attributes, end);
        break;
      default:
        return;
    }
  }
}

/** Reads fields of a `Status` up to a position. */
export function readStatusFields(reader: RequestReader, span: ReadSpan, end: number): void {
  for (;;) {
    switch (reader.next(STATUS, end)) {
      case 2:
        span.statusMessage = readText(reader);
        break;
      case 3:
        span.statusCode = reader.int32();
        break;
      default:
        return;
    }
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
