import { isInteger, type CarriedValue, type SingleValue } from "./any-value.js";
import type { SpanHead, SpanWriter } from "./span-writer.js";

/** Writes one span in OTLP JSON: ids are hex, enums are numbers, empty fields are left out. */
export class JsonSpanWriter implements SpanWriter {
  /** The JSON so far. */
  readonly #pieces: string[] = [];
  /** Separators before the next attribute and the next event. */
  #beforeAttribute = ATTRIBUTES;
  #beforeEvent = `,"events":[`;
  #isInEvent = false;
  #hasAttributes = false;

  /** The JSON of the span in pieces. */
  get pieces(): readonly string[] {
    return this.#pieces;
  }

  begin({ traceId, spanId, parentSpanId, name, kind, startUnixNano, endUnixNano }: SpanHead): void {
    this.#pieces.push(
      `{"traceId":"${hex(traceId)}","spanId":"${hex(spanId)}"` +
        (parentSpanId === undefined ? "" : `,"parentSpanId":"${hex(parentSpanId)}"`) +
        (name === "" ? "" : `,"name":${JSON.stringify(name)}`) +
        `,"kind":${kind}${time("startTimeUnixNano", startUnixNano)}${time("endTimeUnixNano", endUnixNano)}`,
    );
  }

  attribute(key: string, value: CarriedValue): void {
    this.#hasAttributes = true;
    this.#pieces.push(`${this.#beforeAttribute}${keyValueJson(key, value)}`);
    this.#beforeAttribute = ",";
  }

  beginEvent(name: string, timeUnixNano: bigint): void {
    this.#endAttributes();
    this.#isInEvent = true;
    // The first field of an event has no comma before it.
    const fields =
      time("timeUnixNano", timeUnixNano) + (name === "" ? "" : `,"name":${JSON.stringify(name)}`);
    this.#pieces.push(`${this.#beforeEvent}{${fields.slice(1)}`);
    this.#beforeEvent = ",";
    this.#beforeAttribute = fields === "" ? ATTRIBUTES.slice(1) : ATTRIBUTES;
  }

  endEvent(): void {
    this.#endAttributes();
    this.#pieces.push("}");
  }

  end(code: number, message: string): void {
    if (!this.#isInEvent) this.#endAttributes();
    const status = [
      ...(message === "" ? [] : [`"message":${JSON.stringify(message)}`]),
      ...(code === 0 ? [] : [`"code":${code}`]),
    ];
    this.#pieces.push(`${this.#isInEvent ? "]" : ""},"status":{${status.join(",")}}}`);
  }

  #endAttributes(): void {
    if (this.#hasAttributes) this.#pieces.push("]");
    this.#hasAttributes = false;
  }
}

const ATTRIBUTES = `,"attributes":[`;

function time(name: string, unixNano: bigint): string {
  return unixNano === 0n ? "" : `,"${name}":"${unixNano}"`;
}

function hex(id: Uint8Array): string {
  return Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString("hex");
}

/** A `KeyValue`. */
export function keyValueJson(key: string, value: CarriedValue): string {
  const name = key === "" ? "" : `"key":${JSON.stringify(key)},`;
  return `{${name}"value":${typeof value === "object" ? listJson(value) : singleJson(value)}}`;
}

function listJson(values: readonly SingleValue[]): string {
  return `{"arrayValue":{"values":[${values.map(singleJson).join(",")}]}}`;
}

/** Integers are strings, as 64-bit integers are in proto3 JSON. */
function singleJson(value: SingleValue): string {
  if (typeof value === "string") return `{"stringValue":${JSON.stringify(value)}}`;
  if (typeof value === "boolean") return `{"boolValue":${value}}`;
  if (isInteger(value)) return `{"intValue":"${value}"}`;
  return `{"doubleValue":${JSON.stringify(value)}}`;
}
