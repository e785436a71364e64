import { tapReadableStream } from "../../capture/integration.js";
import { field, parsedJson } from "../json-fields.js";
import { EventTextReader } from "./event-text-reader.js";
import { isUsageChunk, observe, type StreamSettings } from "./stream-watch.js";
import type { TracedCall } from "./traced-call.js";
import { withoutEvents } from "./without-events.js";

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
    if (!(response instanceof Response) || !(body instanceof ReadableStream) || body.locked) {
      call.endUnread(response);
      return response;
    }
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    replaceBody(response, isStream ? watchEvents(body, call, settings) : watchJson(body, call));
  } catch {
    call.endUnread(response);
  }
  return response;
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

function watchEvents(body: Bytes, call: TracedCall, settings: StreamSettings): Bytes {
  const fold = call.operation.startFold?.();
  if (fold === undefined) {
    call.succeed(() => undefined);
    return body;
  }
  const observer = observe(call, fold, settings, () => false);
  const reader = new EventTextReader((data) => void observer.onChunk(parsedJson(data)));
  const watched = tapReadableStream(body, {
    onChunk(piece) {
      reader.read(piece);
      return true;
    },
    onEnd(end) {
      reader.finish();
      observer.onEnd(end);
    },
  });
  return settings.hideUsageChunk ? withoutEvents(watched, (data) => isUsageChunk(parsedJson(data))) : watched;
}

function watchJson(body: Bytes, call: TracedCall): Bytes {
  let pieces: Uint8Array[] | undefined = [];
  let length = 0;
  return tapReadableStream(body, {
    onChunk(piece) {
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
  });
}
