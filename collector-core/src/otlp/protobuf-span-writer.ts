import { isInteger, type CarriedValue, type SingleValue } from "./any-value.js";
import type { OpenMessage, ProtobufWriter } from "./protobuf-writer.js";
import type { SpanHead, SpanWriter } from "./span-writer.js";

/** Writes OTLP `Span` messages by field number (`proto/opentelemetry`). */
export class ProtobufSpanWriter implements SpanWriter {
  #span: OpenMessage = 0;
  #event: OpenMessage | undefined;

  readonly #writer: ProtobufWriter;
  readonly #field: number;

  /** @param field - field number of the spans in the enclosing message. */
  constructor(writer: ProtobufWriter, field: number) {
    this.#writer = writer;
    this.#field = field;
  }

  begin({ traceId, spanId, parentSpanId, name, kind, startUnixNano, endUnixNano }: SpanHead): void {
    const writer = this.#writer;
    this.#event = undefined;
    this.#span = writer.open(this.#field);
    writer.bytes(1, traceId);
    writer.bytes(2, spanId);
    if (parentSpanId !== undefined) writer.bytes(4, parentSpanId);
    if (name !== "") writer.text(5, name);
    writer.number(6, kind);
    writer.fixed64(7, startUnixNano);
    writer.fixed64(8, endUnixNano);
  }

  attribute(key: string, value: CarriedValue): void {
    writeKeyValue(this.#writer, this.#event === undefined ? 9 : 3, key, value);
  }

  beginEvent(name: string, timeUnixNano: bigint): void {
    this.#event = this.#writer.open(11);
    this.#writer.fixed64(1, timeUnixNano);
    if (name !== "") this.#writer.text(2, name);
  }

  endEvent(): void {
    if (this.#event !== undefined) this.#writer.close(this.#event);
    this.#event = undefined;
  }

  end(code: number, message: string): void {
    const writer = this.#writer;
    const status = writer.open(15);
    if (message !== "") writer.text(2, message);
    if (code !== 0) writer.number(3, code);
    writer.close(status);
    writer.close(this.#span);
  }
}

/** Writes a `KeyValue`. */
export function writeKeyValue(writer: ProtobufWriter, field: number, key: string, value: CarriedValue): void {
  const keyValue = writer.open(field);
  if (key !== "") writer.text(1, key);
  const any = writer.open(2);
  if (typeof value === "object") {
    const list = writer.open(5);
    for (const item of value) {
      const each = writer.open(1);
      writeSingle(writer, item);
      writer.close(each);
    }
    writer.close(list);
  } else writeSingle(writer, value);
  writer.close(any);
  writer.close(keyValue);
}

function writeSingle(writer: ProtobufWriter, value: SingleValue): void {
  if (typeof value === "string") writer.text(1, value);
  else if (typeof value === "boolean") writer.number(2, value ? 1 : 0);
  else if (isInteger(value)) writer.int64(3, value);
  else writer.double(4, value);
}
