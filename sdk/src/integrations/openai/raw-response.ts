import type { Readable } from "node:stream";
import {
  isNodeStream,
  tapNodeStream,
  tapReadableStream,
  type StreamObserver,
} from "../../capture/integration.js";
import { field, parsedJson } from "../json-fields.js";
import { EventTextReader } from "./event-text-reader.js";
import { endWhenForgotten, isUsageChunk, observe, type StreamSettings } from "./stream-watch.js";
import type { TracedCall } from "./traced-call.js";
import { nodeWithoutEvents, withoutEvents } from "./without-events.js";

type Bytes = ReadableStream<Uint8Array>;

/** Bytes of a JSON answer that are read along; what is longer is only passed on. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Ways to read the body of a response that go past its `body`. */
const READERS = ["json", "text", "arrayBuffer", "blob", "bytes", "formData"] as const;

/**
 * Watches the body of a response that the app reads by itself (`asResponse()`), often to pass it on to a browser. The
 * response stays the same object; its bytes are seen as they are read. Of a stream whose usage was asked for on the app's
 * behalf, the event that brings it is left out here too.
 */
export function tapRawResponse(response: unknown, call: TracedCall, settings: StreamSettings): unknown {
  try {
    call.noteResponse(response);
    const body = field(response, "body");
    const headers = field(response, "headers") as Pick<Headers, "get"> | undefined;
    const isStream = headers?.get("content-type")?.includes("text/event-stream") ?? false;
    const isUnwanted = isStream && settings.hideUsageChunk ? isUsageEvent : undefined;
    if (response instanceof Response && body instanceof ReadableStream && !body.locked) {
      const watched = tapReadableStream<Uint8Array>(body, observeBody(isStream, call, settings));
      endWhenForgotten(watched, call);
      replaceBody(response, isUnwanted === undefined ? watched : withoutEvents(watched, isUnwanted));
    } else if (typeof body === "object" && body !== null && isNodeStream(body)) {
      endWhenForgotten(body, call);
      tapNodeStream(body, observeBody(isStream, call, settings));
      if (isUnwanted !== undefined)
        return withNodeBody(response as object, nodeWithoutEvents(body, isUnwanted));
    } else call.endUnread();
  } catch {
    call.endUnread();
  }
  return response;
}

function isUsageEvent(data: string): boolean {
  return isUsageChunk(parsedJson(data));
}

/**
 * `openai` 4 has responses of the package node-fetch, whose body is a Node stream: another response of that class, which
 * reads another body.
 */
function withNodeBody(response: object, body: Readable): unknown {
  const { url, status, statusText, headers, size, timeout } = response as Record<string, unknown>;
  const { constructor } = response;
  return Reflect.construct(constructor, [body, { url, status, statusText, headers, size, timeout }]);
}

/** Has the response read another body, by all of its methods. */
function replaceBody(response: Response, body: Bytes): void {
  let current = body;
  const { status, statusText, headers } = response;
  const copy = (of: Bytes): Response => new Response(of, { status, statusText, headers });
  const members: PropertyDescriptorMap = {
    body: { get: () => current },
    clone: {
      value: () => {
        const [left, right] = current.tee();
        current = left;
        return copy(right);
      },
    },
  };
  for (const name of READERS) {
    if (typeof field(response, name) !== "function") continue;
    members[name] = {
      value: () => (copy(current) as unknown as Record<string, () => Promise<unknown>>)[name]?.(),
    };
  }
  for (const descriptor of Object.values(members)) descriptor.configurable = true;
  Object.defineProperties(response, members);
}

/** Sees the bytes of the body, and ends the span with it. */
function observeBody(isStream: boolean, call: TracedCall, settings: StreamSettings): StreamObserver<unknown> {
  if (!isStream) return observeJson(call);
  const fold = call.operation.startFold?.();
  if (fold === undefined) {
    call.succeed(() => undefined);
    return { onChunk: () => true, onEnd: () => undefined };
  }
  const observer = observe(call, fold, settings, () => false);
  const reader = new EventTextReader((data) => void observer.onChunk(parsedJson(data)));
  return {
    onChunk(piece) {
      if (piece instanceof Uint8Array) reader.read(piece);
      return true;
    },
    onEnd(end) {
      reader.finish();
      observer.onEnd(end);
    },
  };
}

function observeJson(call: TracedCall): StreamObserver<unknown> {
  let pieces: Uint8Array[] | undefined = [];
  let length = 0;
  return {
    onChunk(piece) {
      if (!(piece instanceof Uint8Array)) return true;
      length += piece.length;
      if (length > MAX_JSON_BYTES) pieces = undefined;
      // A copy: a stream of bytes takes the memory of what it passes on.
      else pieces?.push(piece.slice());
      return true;
    },
    onEnd(end) {
      if (end.type === "aborted") call.abort();
      else if (end.type === "failed") call.fail(end.error);
      else call.succeed(() => pieces && parsedJson(new TextDecoder().decode(Buffer.concat(pieces))));
    },
  };
}
