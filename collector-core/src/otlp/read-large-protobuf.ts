import type { JsonValue } from "@obspan/sdk/wire";
import type { Steps } from "../runtime/steps.js";
import { setProperty } from "../span/set-property.js";
import {
  endOfMessage,
  readAnyValueFields,
  readArrayFields,
  readKeyValueFields,
  readKeyValuesFields,
  RequestReader,
  type ReadKeyValue,
} from "./read-any-value.js";
import {
  newEvent,
  newLink,
  newResourceSpans,
  newScopeSpans,
  newSpan,
  readEventFields,
  readLinkFields,
  readRequestFields,
  readResourceSpansFields,
  readScopeFields,
  readScopeSpansFields,
  readSpanFields,
  readStatusFields,
  type Mutable,
  type ReadResourceSpans,
  type ReadScopeSpans,
  type ReadSpan,
} from "./read-protobuf.js";
import {
  MAX_VALUE_DEPTH,
  TooDeepValue,
  type OtlpAttributes,
  type OtlpEvent,
  type OtlpLink,
  type OtlpResourceSpans,
  type OtlpScope,
  type OtlpTraceRequest,
} from "./received-spans.js";

/**
 * Reads a request like `readProtobufRequest`, in steps of several kilobytes, unless a single text is longer.
 *
 * @param stepBytes - bytes of fields per step.
 * @throws like `readProtobufRequest`.
 */
export function* readProtobufInSteps(body: Uint8Array, stepBytes?: number): Steps<OtlpTraceRequest> {
  const request: OtlpResourceSpans[] = [];
  yield* readFields(new RequestReader(body, stepBytes), request, body.byteLength, REQUEST);
  return request;
}

/** Entries of a map that are defined in one step. */
const ENTRIES_PER_STEP = 2000;

/** How to read a large message: small fields together, each large message among them in steps of its own. */
interface LargeMessage<Target> {
  /** Reads fields up to a position. */
  readonly readSmall: (reader: RequestReader, target: Target, end: number) => void;
  /** Fields whose messages may be large. */
  readonly messages: ReadonlyMap<number, (reader: RequestReader, target: Target) => Steps<void>>;
}

function* readFields<Target>(
  reader: RequestReader,
  target: Target,
  end: number,
  { readSmall, messages }: LargeMessage<Target>,
): Steps<void> {
  while (reader.pos < end) {
    const from = reader.pos;
    const large = skipSmall(reader, end, messages);
    const to = large?.from ?? reader.pos;
    reader.pos = from;
    readSmall(reader, target, to);
    yield;
    // In malformed protobuf, the fields may end elsewhere.
    if (large === undefined || reader.pos !== large.from) continue;
    reader.tag();
    yield* large.read(reader, target);
  }
}

/** Skips fields of one step. Stops at a large message and returns where it is. */
function skipSmall<Read>(
  reader: RequestReader,
  end: number,
  messages: ReadonlyMap<number, Read>,
): { readonly from: number; readonly read: Read } | undefined {
  for (const max = Math.min(end, reader.pos + reader.stepBytes); reader.pos < max;) {
    const from = reader.pos;
    const [field, wireType] = reader.tag();
    const read = messages.get(field);
    const start = reader.pos;
    reader.skip(wireType, field);
    if (read !== undefined && reader.pos - start > reader.stepBytes) return { from, read };
  }
  return undefined;
}

/** Reads the length of a message, and its fields. */
function readMessage<Target>(
  reader: RequestReader,
  target: Target,
  message: LargeMessage<Target>,
): Steps<void> {
  return readFields(reader, target, endOfMessage(reader), message);
}

/** Reads a large `KeyValue`. */
function* readKeyValue(reader: RequestReader, attributes: OtlpAttributes, depth = 1): Steps<void> {
  reader.budget.takeAttributes(1);
  const read: ReadKeyValue = { key: "", value: null };
  yield* readMessage(reader, read, {
    readSmall: (from, target, end) => readKeyValueFields(from, target, end, depth),
    messages: new Map([[2, (from, target) => readAnyValue(from, target, depth)]]),
  });
  attributes.set(read.key, read.value);
}

/** Reads the large `KeyValue`s of a `Resource` or a `KeyValueList`. */
function readKeyValues(reader: RequestReader, attributes: OtlpAttributes, depth = 1): Steps<void> {
  return readMessage(reader, attributes, {
    readSmall: (from, target, end) => readKeyValuesFields(from, target, end, depth),
    messages: new Map([[1, (from, target) => readKeyValue(from, target, depth)]]),
  });
}

/** What a value becomes a part of. */
interface ReadValue {
  value: JsonValue;
}

/** Reads a large `AnyValue`. */
function* readAnyValue(reader: RequestReader, read: ReadValue, depth: number): Steps<void> {
  if (depth > MAX_VALUE_DEPTH) throw new TooDeepValue();
  read.value = null;
  yield* readMessage(reader, read, {
    readSmall: (from, target, end) => {
      target.value = readAnyValueFields(from, target.value, end, depth);
    },
    messages: new Map([
      [5, (from, target) => readArrayValue(from, target, depth + 1)],
      [6, (from, target) => readKeyValueList(from, target, depth + 1)],
    ]),
  });
}

function* readArrayValue(reader: RequestReader, read: ReadValue, depth: number): Steps<void> {
  const values: JsonValue[] = [];
  reader.budget.takeContainer();
  yield* readMessage(reader, values, {
    readSmall: (from, target, end) => readArrayFields(from, target, end, depth),
    messages: new Map([[1, (from, target) => readItem(from, target, depth)]]),
  });
  read.value = values;
}

function* readItem(reader: RequestReader, values: JsonValue[], depth: number): Steps<void> {
  reader.budget.takeListItems(1);
  const read: ReadValue = { value: null };
  yield* readAnyValue(reader, read, depth);
  values.push(read.value);
}

function* readKeyValueList(reader: RequestReader, read: ReadValue, depth: number): Steps<void> {
  const values: OtlpAttributes = new Map();
  reader.budget.takeContainer();
  yield* readKeyValues(reader, values, depth);
  const map: Record<string, JsonValue> = {};
  let count = 0;
  for (const [key, value] of values) {
    setProperty(map, key, value);
    if (++count % ENTRIES_PER_STEP === 0) yield;
  }
  read.value = map;
}

const STATUS: LargeMessage<ReadSpan> = { readSmall: readStatusFields, messages: new Map() };

const EVENT: LargeMessage<Mutable<OtlpEvent>> = {
  readSmall: readEventFields,
  messages: new Map([[3, (reader, { attributes }) => readKeyValue(reader, attributes)]]),
};

const LINK: LargeMessage<Mutable<OtlpLink>> = {
  readSmall: readLinkFields,
  messages: new Map([[4, (reader, { attributes }) => readKeyValue(reader, attributes)]]),
};

const SPAN: LargeMessage<ReadSpan> = {
  readSmall: readSpanFields,
  messages: new Map<number, (reader: RequestReader, span: ReadSpan) => Steps<void>>([
    [9, (reader, { attributes }) => readKeyValue(reader, attributes)],
    [11, (reader, { events }) => readMessage(reader, added(events, newEvent(reader)), EVENT)],
    [13, (reader, { links }) => readMessage(reader, added(links, newLink(reader)), LINK)],
    [15, (reader, span) => readMessage(reader, span, STATUS)],
  ]),
};

const SCOPE: LargeMessage<Mutable<OtlpScope>> = { readSmall: readScopeFields, messages: new Map() };

const SCOPE_SPANS: LargeMessage<ReadScopeSpans> = {
  readSmall: readScopeSpansFields,
  messages: new Map<number, (reader: RequestReader, target: ReadScopeSpans) => Steps<void>>([
    [1, (reader, { scope }) => readMessage(reader, scope, SCOPE)],
    [2, (reader, { spans }) => readMessage(reader, added(spans, newSpan(reader)), SPAN)],
  ]),
};

const RESOURCE_SPANS: LargeMessage<ReadResourceSpans> = {
  readSmall: readResourceSpansFields,
  messages: new Map<number, (reader: RequestReader, target: ReadResourceSpans) => Steps<void>>([
    [1, (reader, { resource }) => readKeyValues(reader, resource)],
    [2, (reader, { scopes }) => readMessage(reader, added(scopes, newScopeSpans(reader)), SCOPE_SPANS)],
  ]),
};

const REQUEST: LargeMessage<OtlpResourceSpans[]> = {
  readSmall: readRequestFields,
  messages: new Map([
    [1, (reader, request) => readMessage(reader, added(request, newResourceSpans(reader)), RESOURCE_SPANS)],
  ]),
};

function added<Item, Added extends Item>(items: Item[], item: Added): Added {
  items.push(item);
  return item;
}
