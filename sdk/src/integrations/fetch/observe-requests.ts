import {
  currentContext,
  processWide,
  tapReadableStream,
  type StreamEnd,
  type StreamObserver,
} from "../../capture/integration.js";
import { member, parseJsonOrText } from "../json-fields.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import { decodePieces, SseReader } from "../model-client/sse-reader.js";

/** Observes the requests of a model call whose library tells less than its requests do. */
export interface RequestObserver {
  /** A request is sent. */
  onRequest?(): void;
  /** No response arrived. */
  onFailed?(error: unknown): void;
  /** The response is an error. Called before the library has its body, of which this is the start. */
  onRefused?(status: number, body: string): void;
  /** A chunk of a stream of server-sent events arrived. */
  onChunk(chunk: unknown): void;
  /** The stream ended. */
  onEnd?(end: StreamEnd): void;
}

/** Most bytes of the body of an error that are read. */
const MAX_ERROR_BYTES = 64 * 1024;

type Fetch = typeof globalThis.fetch;

/** The observers by the span of their model call. */
const observers = processWide("fetch.observers", () => new WeakMap<object, RequestObserver>());
const state = processWide("fetch.observed", () => ({ isObserved: false }));

/** Observes the JSON that is posted with `globalThis.fetch` directly inside a span. */
export function observeRequests(span: object, observer: RequestObserver): void {
  observers.set(span, observer);
  prepareFetch();
}

/**
 * Replaces `globalThis.fetch`, once. Nothing is read ahead, and requests of other code pass unchanged. A client that keeps
 * the fetch of its creation must be created later.
 */
export function prepareFetch(): void {
  const original: Fetch | undefined = globalThis.fetch;
  if (state.isObserved || typeof original !== "function") return;
  state.isObserved = true;
  const fetch = (...args: Parameters<Fetch>): Promise<Response> => {
    const observer = ignoringErrors(() => observerOf(args));
    return observer === undefined ? original(...args) : observe(original(...args), observer);
  };
  Object.defineProperties(fetch, Object.getOwnPropertyDescriptors(original));
  globalThis.fetch = fetch;
}

async function observe(sent: Promise<Response>, observer: RequestObserver): Promise<Response> {
  ignoringErrors(() => observer.onRequest?.());
  try {
    const response = await sent;
    ignoringErrors(() => observeResponse(response, observer));
    return response;
  } catch (error) {
    ignoringErrors(() => observer.onFailed?.(error));
    throw error;
  }
}

function observerOf([, init]: Parameters<Fetch>): RequestObserver | undefined {
  const span = currentContext()?.span;
  const isJson = init?.method === "POST" && typeof init.body === "string" && init.body.startsWith("{");
  return span === undefined || !isJson ? undefined : observers.get(span);
}

function observeResponse(response: Response, observer: RequestObserver): void {
  const { status, body } = response;
  if (body === null || body.locked) return;
  if (status >= 400) observeRefusal(response, body, observer);
  else if (response.headers.get("content-type")?.includes("text/event-stream") === true) {
    const reader = new SseReader((data) => observer.onChunk(parseJsonOrText(data)));
    replaceBody(response, body, {
      onChunk(piece) {
        reader.read(piece);
        return true;
      },
      onEnd(end) {
        reader.finish();
        observer.onEnd?.(end);
      },
    });
  }
}

/** Some versions of a library read the body as a stream, others as a text. */
function observeRefusal(
  response: Response,
  body: ReadableStream<Uint8Array>,
  observer: RequestObserver,
): void {
  const pieces: Uint8Array[] = [];
  let length = 0;
  replaceBody(response, body, {
    onChunk(piece) {
      // A copy: a byte stream transfers the memory of its chunks to the reader.
      if (length < MAX_ERROR_BYTES) pieces.push(piece.slice(0, MAX_ERROR_BYTES - length));
      length += piece.length;
      return true;
    },
    onEnd: () => observer.onRefused?.(response.status, decodePieces(pieces)),
  });
  const text = member(response, "text") as () => Promise<string>;
  const observed = async (): Promise<string> => {
    const read = await text.call(response);
    ignoringErrors(() => observer.onRefused?.(response.status, read));
    return read;
  };
  Object.defineProperty(response, "text", { value: observed, configurable: true, writable: true });
}

function replaceBody(
  response: Response,
  body: ReadableStream<Uint8Array>,
  observer: StreamObserver<Uint8Array>,
): void {
  Object.defineProperty(response, "body", { value: tapReadableStream(body, observer), configurable: true });
}
