import { field, textOf } from "../json-fields.js";

/** The id of a JSON-RPC message. */
export type MessageId = string | number;

/** The method and the id of a request; undefined for any other message. */
export function requestOf(message: unknown): { readonly method: string; readonly id: MessageId } | undefined {
  const method = textOf(field(message, "method"));
  const id = field(message, "id");
  return method !== undefined && isId(id) ? { method, id } : undefined;
}

/** The id of a response; undefined for any other message. */
export function responseIdOf(message: unknown): MessageId | undefined {
  const id = field(message, "id");
  return field(message, "method") === undefined && isId(id) ? id : undefined;
}

/** The id of the request that a notification cancels; undefined for any other message. */
export function cancelledIdOf(message: unknown): MessageId | undefined {
  if (field(message, "method") !== "notifications/cancelled") return undefined;
  const id = field(field(message, "params"), "requestId");
  return isId(id) ? id : undefined;
}

/** The W3C trace context that a request carries. */
export function traceparentOf(message: unknown): string | undefined {
  return textOf(field(field(field(message, "params"), "_meta"), "traceparent"));
}

/** A copy of a request that carries a trace context, unless it carries one. The app's objects stay unchanged. */
export function withTraceparent(message: unknown, traceparent: string | undefined): unknown {
  if (traceparent === undefined || traceparentOf(message) !== undefined) return message;
  const params = field(message, "params") as object | undefined;
  const meta = field(params, "_meta") as object | undefined;
  return { ...(message as object), params: { ...params, _meta: { ...meta, traceparent } } };
}

function isId(value: unknown): value is MessageId {
  return typeof value === "string" || typeof value === "number";
}
