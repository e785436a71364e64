import { currentContext, flush } from "../../capture/integration.js";
import { contextOf, startOtelSpan } from "../../capture/otel-span.js";
import { elementsOf, field, fieldsOf, member, textOf } from "../json-fields.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import { epochMsOf } from "./api.js";
import { isAllowed } from "./content.js";
import { joinContexts } from "./join-contexts.js";
import { addEvent, addLinks, setStatus } from "./otel-span.js";
import { KINDS } from "./span-kinds.js";

/**
 * A span processor for an app that uses OpenTelemetry's SDK (1 or 2): the spans that it records go to Obspan too, through the
 * SDK's exporter and with its options. Spans of both are one trace. It registers nothing globally, and imports no package.
 *
 * @example
 * ```ts
 * const provider = new NodeTracerProvider({ spanProcessors: [new ObspanSpanProcessor()] });
 * provider.register();
 * ```
 */
export class ObspanSpanProcessor {
  constructor() {
    joinContexts();
  }

  /** Does nothing: a span is sent when it ends. */
  onStart(): void {
    // Required by the interface.
  }

  /** Takes a span that has ended. Never throws. */
  onEnd(span: object): void {
    ignoringErrors(() => recordEndedSpan(span));
  }

  /** Sends the spans so far, as `flush()` does. */
  async forceFlush(): Promise<void> {
    await flush();
  }

  /** Sends the spans so far. The SDK itself goes on: `shutdown()` stops it. */
  async shutdown(): Promise<void> {
    await flush();
  }
}

function recordEndedSpan(ended: object): void {
  const read = member(ended, "spanContext");
  const ids: unknown = typeof read === "function" ? Reflect.apply(read, ended, []) : undefined;
  const traceId = textOf(field(ids, "traceId"));
  const spanId = textOf(field(ids, "spanId"));
  const startMs = epochMsOf(field(ended, "startTime"));
  if (traceId === undefined || spanId === undefined || startMs === undefined) return;
  // Version 1 has only the id.
  const parentId =
    textOf(field(field(ended, "parentSpanContext"), "spanId")) ?? textOf(field(ended, "parentSpanId"));
  const span = startOtelSpan({
    name: textOf(field(ended, "name")) ?? "unknown",
    parent: { ...contextOf(traceId, parentId ?? "", currentContext()), span: undefined },
    spanId,
    startMs,
  });
  if (span === undefined) return;
  const scope = field(ended, "instrumentationScope") ?? field(ended, "instrumentationLibrary");
  span.setAttributes({
    "otel.scope.name": textOf(field(scope, "name")),
    "otel.scope.version": textOf(field(scope, "version")),
    "span.kind": KINDS[Number(field(ended, "kind"))],
  });
  const attributes = fieldsOf(field(ended, "attributes")) ?? {};
  for (const key of Object.keys(attributes))
    if (isAllowed(key, attributes[key])) span.setAttribute(key, attributes[key]);
  for (const event of elementsOf(field(ended, "events")))
    addEvent(span, textOf(field(event, "name")) ?? "event", field(event, "attributes"), field(event, "time"));
  addLinks(span, elementsOf(field(ended, "links")));
  const status = field(ended, "status");
  setStatus(span, field(status, "code"), field(status, "message"));
  span.endAtEpochMs(epochMsOf(field(ended, "endTime")));
}
