import { describeError } from "../../capture/integration.js";
import { type OtelSpan as Recorded } from "../../capture/otel-span.js";
import { elementsOf, field, textOf } from "../json-fields.js";
import {
  epochMsOf,
  type OtelAttributes,
  type OtelSpan,
  type OtelSpanContext,
  type TimeInput,
} from "./api.js";
import { isAllowed } from "./content.js";

/** Status codes of OpenTelemetry. */
const STATUSES = ["UNSET", "OK", "ERROR"];

/** A span with the interface of OpenTelemetry, recorded by the SDK. */
export class RecordingSpan implements OtelSpan {
  readonly #span: Recorded;

  constructor(span: Recorded) {
    this.#span = span;
  }

  spanContext(): OtelSpanContext {
    const { traceId, spanId } = this.#span;
    return { traceId, spanId, traceFlags: 1 };
  }

  isRecording(): boolean {
    return this.#span.isRecording;
  }

  setAttribute(key: string, value: unknown): this {
    if (isAllowed(key, value)) this.#span.setAttribute(key, value);
    return this;
  }

  setAttributes(attributes: OtelAttributes): this {
    for (const key of Object.keys(attributes)) this.setAttribute(key, attributes[key]);
    return this;
  }

  addEvent(name: string, attributesOrTime?: OtelAttributes | TimeInput, time?: TimeInput): this {
    const isTime = epochMsOf(attributesOrTime) !== undefined;
    addEvent(this.#span, name, isTime ? undefined : attributesOrTime, isTime ? attributesOrTime : time);
    return this;
  }

  addLink(link: unknown): this {
    return this.addLinks([link]);
  }

  addLinks(links: readonly unknown[]): this {
    addLinks(this.#span, links);
    return this;
  }

  setStatus({ code, message }: { readonly code: number; readonly message?: string }): this {
    setStatus(this.#span, code, message);
    return this;
  }

  updateName(name: string): this {
    if (this.#span.isRecording && textOf(name) !== undefined) this.#span.name = name.slice(0, 256);
    return this;
  }

  end(time?: TimeInput): void {
    this.#span.endAtEpochMs(epochMsOf(time));
  }

  recordException(exception: unknown, time?: TimeInput): void {
    const { type, message, stack } = describeError(exception);
    this.addEvent(
      "exception",
      { "exception.type": type, "exception.message": message, "exception.stacktrace": stack },
      time,
    );
  }
}

/** Adds an event, without the attributes that may not be kept. */
export function addEvent(span: Recorded, name: string, attributes: unknown, time: unknown): void {
  const kept: Record<string, unknown> = {};
  const given = (attributes ?? {}) as OtelAttributes;
  for (const key of Object.keys(given)) if (isAllowed(key, given[key])) kept[key] = given[key];
  span.addTimedEvent(name, kept, epochMsOf(time));
}

/** Adds links to other spans, under the attribute of spans that arrive over OTLP. */
export function addLinks(span: Recorded, links: readonly unknown[]): void {
  if (links.length === 0) return;
  const added = links.map((link) => ({
    trace_id: textOf(field(field(link, "context"), "traceId")) ?? "",
    span_id: textOf(field(field(link, "context"), "spanId")) ?? "",
    attributes: field(link, "attributes") ?? {},
  }));
  span.setAttribute("otel.links", [...elementsOf(span.attributes["otel.links"]), ...added]);
}

/** Sets the status from its code and description. OK is final, as OpenTelemetry defines it. */
export function setStatus(span: Recorded, code: unknown, message: unknown): void {
  const status = typeof code === "number" ? STATUSES[code] : undefined;
  if (status === undefined || status === "UNSET" || span.status === "OK") return;
  span.setStatus(status);
  const description = status === "ERROR" ? textOf(message) : undefined;
  if (description !== undefined && isAllowed("otel.status_description", description))
    span.setAttribute("otel.status_description", description);
}
