import type { JsonValue } from "@obspan/sdk/wire";
import type { Steps } from "../runtime/steps.js";
import { setProperty } from "../span/set-property.js";
import {
  readAnyValueFields,
  readArrayFields,
  readKeyValueFields,
  readKeyValuesFields,
  RequestReader,
  WIRE,
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
  readonly messages: ReadonlyMap<number, ReadLarge<Target>>;
}

/** Reads a large message. `end` is that of the message around it. */
type ReadLarge<Target> = (reader: RequestReader, target: Target, end: number) => Steps<void>;

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
    if (large === undefined) continue;
    reader.readTag();
    yield* large.read(reader, target, end);
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
    const tag = reader.readTag();
    const read = (tag & 7) === WIRE.length ? messages.get(tag >>> 3) : undefined;
    const start = reader.pos;
    reader.skipValue(tag, end);
    if (read !== undefined && reader.pos - start > reader.stepBytes) return { from, read };
  }
  return undefined;
}

/** Reads the length of a message, and its fields. @param end - of the message around it. */
function readMessage<Target>(
  reader: RequestReader,
  target: Target,
  end: number,
  message: LargeMessage<Target>,
): Steps<void> {
  return readFields(reader, target, reader.endOfMessage(end), message);
}

/** Reads a large `KeyValue`. */
function* readKeyValue(
  reader: RequestReader,
  attributes: OtlpAttributes,
  end: number,
  depth = 1,
): Steps<void> {
  reader.budget.takeAttributes(1);
  const read: ReadKeyValue = { key: "", value: null };
  yield* readMessage(reader, read, end, {
    readSmall: (from, target, to) => readKeyValueFields(from, target, to, depth),
    messages: new Map([[2, (from, target, to) => readAnyValue(from, target, to, depth)]]),
  });
  attributes.set(read.key, read.value);
}

/** Reads the large `KeyValue`s of a `Resource` or a `KeyValueList`. */
function readKeyValues(
  reader: RequestReader,
  attributes: OtlpAttributes,
  end: number,
  depth = 1,
): Steps<void> {
  return readMessage(reader, attributes, end, {
    readSmall: (from, target, to) => readKeyValuesFields(from, target, to, depth),
    messages: new Map([[1, (from, target, to) => readKeyValue(from, target, to, depth)]]),
  });
}

/** What a value becomes a part of. */
interface ReadValue {
  value: JsonValue;
}

/** Reads a large `AnyValue`. */
function* readAnyValue(reader: RequestReader, read: ReadValue, end: number, depth: number): Steps<void> {
  if (depth > MAX_VALUE_DEPTH) throw new TooDeepValue();
  read.value = null;
  yield* readMessage(reader, read, end, {
    readSmall: (from, target, to) => {
      target.value = readAnyValueFields(from, target.value, to, depth);
    },
    messages: new Map([
      [5, (from, target, to) => readArrayValue(from, target, to, depth + 1)],
      [6, (from, target, to) => readKeyValueList(from, target, to, depth + 1)],
    ]),
  });
}

function* readArrayValue(reader: RequestReader, read: ReadValue, end: number, depth: number): Steps<void> {
  const values: JsonValue[] = [];
  reader.budget.takeContainer();
  yield* readMessage(reader, values, end, {
    readSmall: (from, target, to) => readArrayFields(from, target, to, depth),
    messages: new Map([[1, (from, target, to) => readItem(from, target, to, depth)]]),
  });
  read.value = values;
}

function* readItem(reader: RequestReader, values: JsonValue[], end: number, depth: number): Steps<void> {
  reader.budget.takeListItems(1);
  const read: ReadValue = { value: null };
  yield* readAnyValue(reader, read, end, depth);
  values.push(read.value);
}

function* readKeyValueList(reader: RequestReader, read: ReadValue, end: number, depth: number): Steps<void> {
  const values: OtlpAttributes = new Map();
  reader.budget.takeContainer();
  yield* readKeyValues(reader, values, end, depth);
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
  messages: new Map([[3, (reader, { attributes }, end) => readKeyValue(reader, attributes, end)]]),
};

const LINK: LargeMessage<Mutable<OtlpLink>> = {
  readSmall: readLinkFields,
  messages: new Map([[4, (reader, { attributes }, end) => readKeyValue(reader, attributes, end)]]),
};

const SPAN: LargeMessage<ReadSpan> = {
  readSmall: readSpanFields,
  messages: new Map<number, ReadLarge<ReadSpan>>([
    [9, (reader, { attributes }, end) => readKeyValue(reader, attributes, end)],
    [11, (reader, { events }, end) => readMessage(reader, added(events, newEvent(reader)), end, EVENT)],
    [13, (reader, { links }, end) => readMessage(reader, added(links, newLink(reader)), end, LINK)],
    [15, (reader, span, end) => readMessage(reader, span, end, STATUS)],
  ]),
};

const SCOPE: LargeMessage<Mutable<OtlpScope>> = { readSmall: readScopeFields, messages: new Map() };

const SCOPE_SPANS: LargeMessage<ReadScopeSpans> = {
  readSmall: readScopeSpansFields,
  messages: new Map<number, ReadLarge<ReadScopeSpans>>([
    [1, (reader, { scope }, end) => readMessage(reader, scope, end, SCOPE)],
    [2, (reader, { spans }, end) => readMessage(reader, added(spans, newSpan(reader)), end, SPAN)],
  ]),
};

const RESOURCE_SPANS: LargeMessage<ReadResourceSpans> = {
  readSmall: readResourceSpansFields,
  messages: new Map<number, ReadLarge<ReadResourceSpans>>([
    [1, (reader, { resource }, end) => readKeyValues(reader, resource, end)],
    [
      2,
      (reader, { scopes }, end) =>
        readMessage(reader, added(scopes, newScopeSpans(reader)), end, SCOPE_SPANS),
    ],
  ]),
};

const REQUEST: LargeMessage<OtlpResourceSpans[]> = {
  readSmall: readRequestFields,
  messages: new Map([
    [
      1,
      (reader, request, end) =>
        readMessage(reader, added(request, newResourceSpans(reader)), end, RESOURCE_SPANS),
    ],
  ]),
};

function added<Item, Added extends Item>(items: Item[], item: Added): Added {
  items.push(item);
  return item;
}
