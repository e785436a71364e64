import type { Span } from "@obspan/sdk/wire";
import type { BatchPart, ReceivedBatch } from "../../interfaces.js";
import { isRecord } from "../../span/span-facts.js";
import type { BytesOnly } from "../take-ranges.js";
import { listOf, type Argument, type Reply } from "../../redis/connection.js";

/** An entry of the stream. */
export interface Entry {
  readonly id: string;
  /** Undefined if it is no batch. */
  readonly batch: BytesOnly | undefined;
}

/** An entry with a batch. */
export interface BatchEntry extends Entry {
  readonly batch: BytesOnly;
}

/** What `k` says of an entry. Others may follow. */
const KIND = "spans";

/** The fields of the entry of a batch: kind, number of spans, parts, generated ids, body. */
export function writeEntry({ spanCount, parts, generatedSpanIds, body }: ReceivedBatch): Argument[] {
  const ids = generatedSpanIds === undefined ? [] : ["g", JSON.stringify(generatedSpanIds)];
  return ["k", KIND, "n", String(spanCount), "p", JSON.stringify(parts), ...ids, "b", body];
}

/** Reads the entries of a reply. */
export function readEntries(reply: Reply): Entry[] {
  return listOf(reply).flatMap((each) => {
    const [id, fields] = listOf(each);
    return Buffer.isBuffer(id) ? [readEntry(id.toString(), listOf(fields))] : [];
  });
}

/** Anybody who can write to the stream may write anything. */
function readEntry(id: string, fields: readonly Reply[]): Entry {
  const field = (name: string): Buffer => {
    for (let at = 0; at < fields.length; at += 2) {
      const [found, value] = [fields[at], fields[at + 1]];
      if (isName(found, name)) return Buffer.isBuffer(value) ? value : NOTHING;
    }
    return NOTHING;
  };
  const body = field("b");
  const spanCount = Number(field("n").toString());
  const parts = readParts(parsed(field("p")), Number(id.split("-")[0]));
  const isUsable = field("k").toString() === KIND && Number.isSafeInteger(spanCount) && spanCount > 0;
  if (!isUsable || parts === undefined) return { id, batch: undefined };
  const ids = parsed(field("g"));
  const generatedSpanIds = Array.isArray(ids)
    ? ids.map((each: unknown) => (typeof each === "string" ? each : undefined))
    : undefined;
  return { id, batch: { spanCount, body, parts, batchId: undefined, generatedSpanIds, spans: undefined } };
}

const NOTHING = Buffer.alloc(0);

/** Names have one character: comparing it needs no copy. */
function isName(value: Reply | undefined, name: string): boolean {
  return Buffer.isBuffer(value) && value.byteLength === 1 && value[0] === name.charCodeAt(0);
}

/** @param receivedAtMs - one clock for all collectors: that of Redis. */
function readParts(value: unknown, receivedAtMs: number): ReceivedBatch["parts"] | undefined {
  if (!Array.isArray(value)) return undefined;
  const parts = value.map((part: unknown): BatchPart | undefined => {
    if (!isRecord(part) || !isRecord(part["context"]) || !Number.isSafeInteger(part["from"]))
      return undefined;
    const { tenant, service, env, version } = part["context"];
    if (typeof tenant !== "string" || typeof service !== "string" || typeof env !== "string")
      return undefined;
    const context = {
      tenant,
      service,
      env,
      version: typeof version === "string" ? version : undefined,
      receivedAtMs,
    };
    return { from: part["from"] as number, context };
  });
  const [first, ...others] = parts;
  if (first?.from !== 0 || others.includes(undefined)) return undefined;
  return [first, ...(others as BatchPart[])];
}

/** Parses the spans of an entry; undefined if they are not those of a batch. */
export function readSpansOf(batch: BytesOnly): readonly Span[] | undefined {
  const value = parsed(batch.body);
  const spans = isRecord(value) ? value["spans"] : undefined;
  if (!Array.isArray(spans) || spans.length !== batch.spanCount) return undefined;
  return spans.every(isSpan) ? spans : undefined;
}

function isSpan(value: unknown): value is Span {
  return isRecord(value) && typeof value["name"] === "string" && typeof value["trace_id"] === "string";
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
