import type { Readable } from "node:stream";
import {
  isNodeStream,
  tapNodeStream,
  tapReadableStream,
  type StreamObserver,
} from "../../capture/integration.js";
import { member, parseJsonOrText } from "../json-fields.js";
import { endWhenCollected, observeChunks } from "./follow-stream.js";
import type { ModelCall } from "./model-call.js";
import { filterNodeSse } from "./node-sse-filter.js";
import { filterSse } from "./sse-filter.js";
import { decodePieces, MAX_EVENT_LENGTH, SseReader } from "./sse-reader.js";
import type { StreamSettings } from "./stream-settings.js";

type Bytes = ReadableStream<Uint8Array>;

/** Methods of a response that read its body without using `body`. */
const READ_METHODS = ["json", "text", "arrayBuffer", "blob", "bytes", "formData"] as const;

/**
 * Follows the body of a response that the app reads itself (`asResponse()`), often to pass it on to a browser. Returns the
 * same object; its bytes are observed when they are read. Hidden chunks are removed from a stream here too.
 */
export function followRawResponse(response: unknown, call: ModelCall, settings: StreamSettings): unknown {
  try {
    call.recordHttpResponse(response);
    const body = member(response, "body");
    const headers = member(response, "headers") as Pick<Headers, "get"> | undefined;
    const contentType = headers?.get("content-type") ?? "";
    const isHidden = isEventStream(contentType) ? hiddenEventTest(settings) : undefined;
    if (response instanceof Response && body instanceof ReadableStream && !body.locked) {
      const tapped = tapReadableStream<Uint8Array>(body, observeBody(contentType, call, settings));
      endWhenCollected(tapped, call);
      replaceBody(response, isHidden === undefined ? tapped : filterSse(tapped, isHidden));
    } else if (typeof body === "object" && body !== null && isNodeStream(body)) {
      endWhenCollected(body, call);
      tapNodeStream(body, observeBody(contentType, call, settings));
      if (isHidden !== undefined) return withNodeBody(response as object, filterNodeSse(body, isHidden));
    } else call.endUnread();
  } catch {
    call.endUnread();
  }
  return response;
}

function isEventStream(contentType: string): boolean {
  return contentType.includes("text/event-stream");
}

function hiddenEventTest({ isHiddenChunk }: StreamSettings): ((data: string) => boolean) | undefined {
  return isHiddenChunk && ((data) => isHiddenChunk(parseJsonOrText(data)));
}

/**
 * Creates another response of the same class with another body. `openai` 4 uses responses of the package `node-fetch`,
 * whose body is a Node stream.
 */
function withNodeBody(response: object, body: Readable): unknown {
  const { url, status, statusText, headers, size, timeout } = response as Record<string, unknown>;
  const { constructor } = response;
  return Reflect.construct(constructor, [body, { url, status, statusText, headers, size, timeout }]);
}

/** Replaces the body of a response, for all methods that read it. */
function replaceBody(response: Response, body: Bytes): void {
  let current = body;
  const { status, statusText, headers, url, redirected, type } = response;
  const copy = (of: Bytes): Response => new Response(of, { status, statusText, headers });
  const members: PropertyDescriptorMap = {
    body: { get: () => current },
    clone: {
      value: () => {
        const [left, right] = current.tee();
        current = left;
        const cloned = Object.defineProperties(copy(right), {
          url: { value: url },
          redirected: { value: redirected },
          type: { value: type },
        });
        replaceBody(cloned, right);
        return cloned;
      },
    },
  };
  for (const name of READ_METHODS) {
    if (typeof member(response, name) !== "function") continue;
    members[name] = {
      // A second reading rejects.
      value: async () => await (copy(current) as unknown as Record<string, () => Promise<unknown>>)[name]?.(),
    };
  }
  for (const descriptor of Object.values(members)) descriptor.configurable = true;
  Object.defineProperties(response, members);
}

/** Observes the bytes of a body, and ends the span with it. */
function observeBody(
  contentType: string,
  call: ModelCall,
  settings: StreamSettings,
): StreamObserver<unknown> {
  let onChunk: (chunk: unknown) => void = () => undefined;
  const reader = isEventStream(contentType)
    ? new SseReader((data) => onChunk(parseJsonOrText(data)))
    : settings.createReader?.(contentType, (chunk) => onChunk(chunk));
  if (reader === undefined) return observeJson(call, settings);
  call.markStream();
  const accumulator = call.operation.createAccumulator?.();
  if (accumulator === undefined) {
    call.succeed(() => undefined);
    return { onChunk: () => true, onEnd: () => undefined };
  }
  const observer = observeChunks(call, accumulator, settings, () => false);
  onChunk = (chunk) => void observer.onChunk(chunk);
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

function observeJson(
  call: ModelCall,
  { readBody = (body) => body }: StreamSettings,
): StreamObserver<unknown> {
  let pieces: Uint8Array[] | undefined = [];
  let length = 0;
  return {
    onChunk(piece) {
      if (!(piece instanceof Uint8Array)) return true;
      length += piece.length;
      // A larger body is only passed on.
      if (length > MAX_EVENT_LENGTH) pieces = undefined;
      // A copy: a byte stream transfers the memory of its chunks to the reader.
      else pieces?.push(piece.slice());
      return true;
    },
    onEnd(end) {
      if (end.type === "aborted") call.abort();
      else if (end.type === "failed") call.fail(end.error);
      else call.succeed(() => pieces && readBody(parseJsonOrText(decodePieces(pieces))));
    },
  };
}
