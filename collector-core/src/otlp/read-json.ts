import type { JsonValue } from "@obspan/sdk/wire";
import { isRecord } from "../span/span-facts.js";
import { runAtOnce, type Steps } from "../runtime/steps.js";
import { finiteNumber, wholeNumber } from "./exact-numbers.js";
import { MessageBudget } from "./message-budget.js";
import {
  MAX_VALUE_DEPTH,
  TooDeepValue,
  type OtlpAttributes,
  type OtlpEvent,
  type OtlpLink,
  type OtlpResourceSpans,
  type OtlpScopeSpans,
  type OtlpSpan,
  type OtlpTraceRequest,
} from "./received-spans.js";

type JsonObject = Readonly<Record<string, unknown>>;

/** The body is JSON, but not an `ExportTraceServiceRequest`. The message names the field, never its content. */
export class InvalidOtlpJson extends Error {
  override readonly name = "InvalidOtlpJson";
}

/**
 * Reads an `ExportTraceServiceRequest` in OTLP JSON, whose ids are hex rather than base64. As the protocol requires, names
 * may be camel or snake case, numbers may be strings, and unknown fields are ignored.
 *
 * @throws {@link InvalidOtlpJson}, {@link TooDeepValue}, `TooManyMessages`.
 */
export function readJsonRequest(body: unknown): OtlpTraceRequest {
  return runAtOnce(readJsonInSteps(body));
}

/** Like {@link readJsonRequest}, in steps of some thousand messages and attributes, unless a single value has more. */
export function* readJsonInSteps(body: unknown): Steps<OtlpTraceRequest> {
  if (!isRecord(body)) throw new InvalidOtlpJson("The body must be an object with resourceSpans.");
  const budget = new MessageBudget();
  const request: OtlpResourceSpans[] = [];
  for (const each of list(body, "resourceSpans", "resource_spans")) {
    if (budget.isStepOver()) yield;
    request.push(yield* readResourceSpans(each, budget));
  }
  return request;
}

function* readResourceSpans(resourceSpans: JsonObject, budget: MessageBudget): Steps<OtlpResourceSpans> {
  budget.takeMessage();
  const sent = resourceSpans["resource"];
  const resource = isRecord(sent) ? yield* readAttributesInSteps(sent, budget) : new Map<string, JsonValue>();
  const scopes: OtlpScopeSpans[] = [];
  for (const each of list(resourceSpans, "scopeSpans", "scope_spans")) {
    if (budget.isStepOver()) yield;
    scopes.push(yield* readScopeSpans(each, budget));
  }
  return { resource, scopes };
}

function* readScopeSpans(scopeSpans: JsonObject, budget: MessageBudget): Steps<OtlpScopeSpans> {
  budget.takeMessage();
  const scope = isRecord(scopeSpans["scope"]) ? scopeSpans["scope"] : {};
  const spans: OtlpSpan[] = [];
  for (const each of list(scopeSpans, "spans", "spans")) {
    if (budget.isStepOver()) yield;
    spans.push(isLargeSpan(each) ? yield* readLargeSpan(each, budget) : readSpan(each, budget));
  }
  return { scope: { name: text(scope, "name"), version: text(scope, "version") }, spans };
}

/** Attributes, events and links that are read in one step. */
const MAX_AT_ONCE = 500;

function isLargeSpan(span: JsonObject): boolean {
  const { events } = span;
  let size = lengthOf(events) + lengthOf(span["links"]) + lengthOf(span["attributes"]);
  if (size > MAX_AT_ONCE) return true;
  for (const each of [events, span["links"]]) {
    if (!Array.isArray(each)) continue;
    for (const item of each as unknown[]) if (isRecord(item)) size += lengthOf(item["attributes"]);
  }
  return size > MAX_AT_ONCE;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

/** The lists of a span. */
type SpanLists = Pick<OtlpSpan, "attributes" | "events" | "links">;

function readSpan(span: JsonObject, budget: MessageBudget): OtlpSpan {
  budget.takeMessage();
  return spanOf(span, {
    attributes: readAttributes(span, budget),
    events: list(span, "events", "events").map((each) => readEvent(each, budget)),
    links: list(span, "links", "links").map((each) => readLink(each, budget)),
  });
}

function* readLargeSpan(span: JsonObject, budget: MessageBudget): Steps<OtlpSpan> {
  budget.takeMessage();
  const attributes = yield* readAttributesInSteps(span, budget);
  const events: OtlpEvent[] = [];
  for (const event of list(span, "events", "events")) {
    if (budget.isStepOver()) yield;
    budget.takeMessage();
    events.push(eventOf(event, yield* readAttributesInSteps(event, budget)));
  }
  const links: OtlpLink[] = [];
  for (const link of list(span, "links", "links")) {
    if (budget.isStepOver()) yield;
    budget.takeMessage();
    links.push(linkOf(link, yield* readAttributesInSteps(link, budget)));
  }
  return spanOf(span, { attributes, events, links });
}

function spanOf(span: JsonObject, { attributes, events, links }: SpanLists): OtlpSpan {
  const status = isRecord(span["status"]) ? span["status"] : {};
  return {
    traceId: hexId(field(span, "traceId", "trace_id"), 32),
    spanId: hexId(field(span, "spanId", "span_id"), 16),
    parentSpanId: hexId(field(span, "parentSpanId", "parent_span_id"), 16),
    traceState: text(span, "traceState", "trace_state"),
    name: text(span, "name"),
    kind: enumNumber(span["kind"], SPAN_KINDS),
    startUnixNano: bigNumber(field(span, "startTimeUnixNano", "start_time_unix_nano")),
    endUnixNano: bigNumber(field(span, "endTimeUnixNano", "end_time_unix_nano")),
    attributes,
    events,
    links,
    statusCode: enumNumber(status["code"], STATUS_CODES),
    statusMessage: text(status, "message"),
  };
}

function readEvent(event: JsonObject, budget: MessageBudget): OtlpEvent {
  budget.takeMessage();
  return eventOf(event, readAttributes(event, budget));
}

function eventOf(event: JsonObject, attributes: OtlpAttributes): OtlpEvent {
  return {
    name: text(event, "name"),
    timeUnixNano: bigNumber(field(event, "timeUnixNano", "time_unix_nano")),
    attributes,
  };
}

function readLink(link: JsonObject, budget: MessageBudget): OtlpLink {
  budget.takeMessage();
  return linkOf(link, readAttributes(link, budget));
}

function linkOf(link: JsonObject, attributes: OtlpAttributes): OtlpLink {
  return {
    traceId: hexId(field(link, "traceId", "trace_id"), 32),
    spanId: hexId(field(link, "spanId", "span_id"), 16),
    traceState: text(link, "traceState", "trace_state"),
    attributes,
  };
}

/** The protocol requires numbers; the names of proto3 JSON are accepted too. */
const SPAN_KINDS = [
  "SPAN_KIND_UNSPECIFIED",
  "SPAN_KIND_INTERNAL",
  "SPAN_KIND_SERVER",
  "SPAN_KIND_CLIENT",
  "SPAN_KIND_PRODUCER",
  "SPAN_KIND_CONSUMER",
];
const STATUS_CODES = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];

function enumNumber(value: unknown, names: readonly string[]): number {
  if (typeof value === "string" && names.includes(value)) return names.indexOf(value);
  return typeof value === "number" ? value : 0;
}

function readAttributes(owner: JsonObject, budget: MessageBudget): OtlpAttributes {
  const attributes: OtlpAttributes = new Map();
  const sent = list(owner, "attributes", "attributes");
  budget.takeAttributes(sent.length);
  for (const attribute of sent) addAttribute(attributes, attribute, budget);
  return attributes;
}

function* readAttributesInSteps(owner: JsonObject, budget: MessageBudget): Steps<OtlpAttributes> {
  const attributes: OtlpAttributes = new Map();
  for (const attribute of list(owner, "attributes", "attributes")) {
    if (budget.isStepOver()) yield;
    budget.takeAttributes(1);
    addAttribute(attributes, attribute, budget);
  }
  return attributes;
}

function addAttribute(attributes: OtlpAttributes, { key, value }: JsonObject, budget: MessageBudget): void {
  const name = keyText(key);
  if (name !== undefined) attributes.set(name, readAnyValue(value, 1, budget));
}

/** In proto3 JSON, an absent or null key is empty. Undefined if the key is not a string. */
function keyText(key: unknown): string | undefined {
  if (key === undefined || key === null) return "";
  return typeof key === "string" ? key : undefined;
}

function readAnyValue(any: unknown, depth: number, budget: MessageBudget): JsonValue {
  if (!isRecord(any)) return null;
  if (depth > MAX_VALUE_DEPTH) throw new TooDeepValue();
  for (const key in any) {
    const value = any[key];
    switch (key) {
      case "stringValue":
      case "string_value":
      case "bytesValue":
      case "bytes_value":
        return typeof value === "string" ? value : null;
      case "boolValue":
      case "bool_value":
        return typeof value === "boolean" ? value : null;
      case "intValue":
      case "int_value":
        return intValue(value);
      case "doubleValue":
      case "double_value":
        return doubleValue(value);
      case "arrayValue":
      case "array_value":
        return isRecord(value) ? readArrayValue(value, depth, budget) : [];
      case "kvlistValue":
      case "kvlist_value":
        return isRecord(value) ? readKeyValueList(value, depth, budget) : {};
    }
  }
  return null;
}

function readArrayValue(value: JsonObject, depth: number, budget: MessageBudget): JsonValue {
  const sent = list(value, "values", "values");
  budget.takeListItems(sent.length);
  return sent.map((item) => readAnyValue(item, depth + 1, budget));
}

function readKeyValueList(value: JsonObject, depth: number, budget: MessageBudget): JsonValue {
  const sent = list(value, "values", "values");
  budget.takeAttributes(sent.length);
  return Object.fromEntries(
    sent.flatMap(({ key, value: item }) => {
      const name = keyText(key);
      return name === undefined ? [] : [[name, readAnyValue(item, depth + 1, budget)]];
    }),
  );
}

function intValue(value: unknown): JsonValue {
  if (typeof value === "number") return finiteNumber(value);
  if (typeof value !== "string") return null;
  return /^-?\d{1,20}$/.test(value) ? wholeNumber(BigInt(value)) : value;
}

function doubleValue(value: unknown): JsonValue {
  if (typeof value === "number") return finiteNumber(value);
  if (typeof value !== "string") return null;
  const number = Number(value);
  return value === "" || Number.isNaN(number) ? value : finiteNumber(number);
}

const MAX_UINT64 = 2n ** 64n - 1n;

/** Nanoseconds from a string or a number; 0 if they exceed 64 bits. */
function bigNumber(value: unknown): bigint {
  if (typeof value === "string" && /^\d{1,20}$/.test(value)) {
    const number = BigInt(value);
    return number > MAX_UINT64 ? 0n : number;
  }
  return typeof value === "number" && value >= 0 && value < 2 ** 64 ? BigInt(Math.trunc(value)) : 0n;
}

function hexId(value: unknown, length: number): string {
  if (typeof value !== "string" || value.length !== length) return "";
  const id = value.toLowerCase();
  return /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id) ? id : "";
}

function field(owner: JsonObject, camel: string, snake: string): unknown {
  return owner[camel] ?? owner[snake];
}

function text(owner: JsonObject, camel: string, snake = camel): string {
  const value = field(owner, camel, snake);
  return typeof value === "string" ? value : "";
}

/** The objects of a list; empty if the list is absent. */
function list(owner: JsonObject, camel: string, snake: string): JsonObject[] {
  const value = field(owner, camel, snake);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new InvalidOtlpJson(`${camel} must be an array.`);
  return (value as unknown[]).map((item) => {
    if (isRecord(item)) return item;
    throw new InvalidOtlpJson(`Each element of ${camel} must be an object.`);
  });
}
