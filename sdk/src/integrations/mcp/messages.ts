import { isRecord } from "../../is-record.js";
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

/**
 * A copy of a request that carries a trace context, unless it carries one. The app's objects stay unchanged. A request of which
 * a copy would not say the same is sent as it is: its parameters are no plain object, or are the result of a getter.
 */
export function withTraceparent(message: unknown, traceparent: string | undefined): unknown {
  if (traceparent === undefined || traceparentOf(message) !== undefined || !isPlain(message)) return message;
  const params = plainIn(message, "params");
  const meta = params && plainIn(params, "_meta");
  if (meta === undefined) return message;
  return { ...message, params: { ...params, _meta: { ...meta, traceparent } } };
}

/** The plain object in a field, an empty one if the field is missing, and undefined if the field has anything else. */
function plainIn(object: object, key: string): object | undefined {
  const own = Object.getOwnPropertyDescriptor(object, key);
  if (own === undefined || ("value" in own && own.value === undefined)) return {};
  return isPlain(own.value) ? own.value : undefined;
}

/** True for an object without a class, also of another realm. A copy of it says the same. */
function isPlain(value: unknown): value is object {
  if (!isRecord(value)) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isId(value: unknown): value is MessageId {
  return typeof value === "string" || typeof value === "number";
}
