import { endOfMessage, readKeyValue, readKeyValues, readText, RequestReader } from "./read-any-value.js";
import type {
  OtlpAttributes,
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
 * the mapping itself.
 *
 * @throws `Error` if the bytes are not valid protobuf; `TooDeepValue`, `TooManyMessages`.
 */
export function readProtobufRequest(body: Uint8Array): OtlpTraceRequest {
  const reader = new RequestReader(body);
  const request: OtlpResourceSpans[] = [];
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) request.push(readResourceSpans(reader));
    else reader.skip(wireType, field);
  }
  return request;
}

function readResourceSpans(reader: RequestReader): OtlpResourceSpans {
  reader.budget.takeMessage();
  const resource: OtlpAttributes = new Map();
  const scopes: OtlpScopeSpans[] = [];
  for (const end = endOfMessage(reader); reader.pos < end;) {
    const [field, wireType] = reader.tag();
    if (field === 1) readKeyValues(reader, resource);
    else if (field === 2) scopes.push(readScopeSpans(reader));
    else reader.skip(wireType, field);
  }
  return { resource, scopes };
}

function readScopeSpans(reader: RequestReader): OtlpScopeSpans {
  reader.budget.takeMessage();
  const scope = { name: "", version: "" };
  const spans: OtlpSpan[] = [];
  for (const end = endOfMessage(reader); reader.pos < end;) {
    const [field, wireType] = reader.tag();
    if (field === 1) readScope(reader, scope);
    else if (field === 2) spans.push(readSpan(reader));
    else reader.skip(wireType, field);
  }
  return { scope, spans };
}

function readScope(
  reader: RequestReader,
  scope: { -readonly [Key in keyof OtlpScope]: OtlpScope[Key] },
): void {
  for (const end = endOfMessage(reader); reader.pos < end;) {
    const [field, wireType] = reader.tag();
    if (field === 1) scope.name = readText(reader);
    else if (field === 2) scope.version = readText(reader);
    else reader.skip(wireType, field);
  }
}

function readSpan(reader: RequestReader): OtlpSpan {
  reader.budget.takeMessage();
  let traceId = "";
  let spanId = "";
  let parentSpanId = "";
  let traceState = "";
  let name = "";
  let kind = 0;
  let startUnixNano = 0n;
  let endUnixNano = 0n;
  const attributes: OtlpAttributes = new Map();
  const events: OtlpEvent[] = [];
  const links: OtlpLink[] = [];
  const status = { code: 0, message: "" };
  for (const end = endOfMessage(reader); reader.pos < end;) {
    const [field, wireType] = reader.tag();
    switch (field) {
      case 1:
        traceId = hexId(reader.bytes(), 16);
        break;
      case 2:
        spanId = hexId(reader.bytes(), 8);
        break;
      case 3:
        traceState = readText(reader);
        break;
      case 4:
        parentSpanId = hexId(reader.bytes(), 8);
        break;
      case 5:
        name = readText(reader);
        break;
      case 6:
        kind = reader.int32();
        break;
      case 7:
        startUnixNano = BigInt(reader.fixed64());
        break;
      case 8:
        endUnixNano = BigInt(reader.fixed64());
        break;
      case 9:
        readKeyValue(reader, attributes);
        break;
      case 11:
        events.push(readEvent(reader));
        break;
      case 13:
        links.push(readLink(reader));
        break;
      case 15:
        readStatus(reader, status);
        break;
      default:
        reader.skip(wireType, field);
    }
  }
  return {
    traceId,
    spanId,
    parentSpanId,
    traceState,
    name,
    kind,
    startUnixNano,
    endUnixNano,
    attributes,
    events,
    links,
    statusCode: status.code,
    statusMessage: status.message,
  };
}

function readEvent(reader: RequestReader): OtlpEvent {
  reader.budget.takeMessage();
  let name = "";
  let timeUnixNano = 0n;
  const attributes: OtlpAttributes = new Map();
  for (const end = endOfMessage(reader); reader.pos < end;) {
    const [field, wireType] = reader.tag();
    if (field === 1) timeUnixNano = BigInt(reader.fixed64());
    else if (field === 2) name = readText(reader);
    else if (field === 3) readKeyValue(reader, attributes);
    else reader.skip(wireType, field);
  }
  return { name, timeUnixNano, attributes };
}

function readLink(reader: RequestReader): OtlpLink {
  reader.budget.takeMessage();
  let traceId = "";
  let spanId = "";
  let traceState = "";
  const attributes: OtlpAttributes = new Map();
  for (const end = endOfMessage(reader); reader.pos < end;) {
    const [field, wireType] = reader.tag();
    if (field === 1) traceId = hexId(reader.bytes(), 16);
    else if (field === 2) spanId = hexId(reader.bytes(), 8);
    else if (field === 3) traceState = readText(reader);
    else if (field === 4) readKeyValue(reader, attributes);
    else reader.skip(wireType, field);
  }
  return { traceId, spanId, traceState, attributes };
}

function readStatus(reader: RequestReader, status: { code: number; message: string }): void {
  for (const end = endOfMessage(reader); reader.pos < end;) {
    const [field, wireType] = reader.tag();
    if (field === 2) status.message = readText(reader);
    else if (field === 3) status.code = reader.int32();
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
