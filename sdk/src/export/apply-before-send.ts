import { isRecord } from "../is-record.js";
import { copyValue } from "../span/json-value.js";
import { warnOnce } from "../warnings.js";
import type { Span } from "../wire/index.js";
import { toWireSpan, type QueuedSpan } from "./queued-span.js";

/**
 * Passes a span to `beforeSend()`, and queues what it returns instead.
 *
 * @returns false if the span is dropped: the function returned null, threw, or returned something else than a span.
 */
export function applyBeforeSend(beforeSend: (span: Span) => Span | null, queued: QueuedSpan): boolean {
  const { pricer } = queued;
  try {
    const original = toWireSpan({ ...queued, pricer: undefined });
    const { name, trace_id, span_id = "" } = original;
    const result: unknown = beforeSend(original);
    if (result === null) return false;
    const { value, bytes } = copyValue(result);
    if (isRecord(value)) {
      const { attributes: changed, name: newName, ...rest } = value as unknown as Span;
      const attributes = isRecord(changed) ? changed : {};
      const kept: Span = {
        ...rest,
        name: typeof newName === "string" && newName !== "" ? newName : name,
        // The ids are those under which the children of the span and its scores are sent.
        trace_id,
        span_id,
        // The last key, as in every span that is sent.
        attributes,
      };
      queued.wire = kept;
      queued.bytes = bytes;
      if (pricer !== undefined)
        queued.pricer = {
          price: () =>
            pricer.price({
              name: kept.name,
              spanType: String(kept.span_type),
              attributes,
              put(key, cost) {
                attributes[key] = cost as number;
              },
            }),
        };
      return true;
    }
    warnOnce("before_send", "beforeSend() must return a span or null: the span is dropped.");
  } catch {
    // The error is not logged: it may quote the span.
    warnOnce("before_send", "beforeSend() threw: the span is dropped.");
  }
  return false;
}
