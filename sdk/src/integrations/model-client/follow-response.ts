import { followThenable } from "../../capture/integration.js";
import { dataValue } from "../../is-record.js";
import { field, member } from "../json-fields.js";
import { followStream, isAsyncIterable } from "./follow-stream.js";
import type { ModelCall } from "./model-call.js";
import { followRawResponse } from "./raw-response.js";
import type { StreamSettings } from "./stream-settings.js";

/**
 * The promise of a client that Stainless generates (`openai`, `@anthropic-ai/sdk`, `groq-sdk`). Not every version has all
 * of these methods.
 */
interface ApiPromise extends PromiseLike<unknown> {
  _thenUnwrap: (transform: (data: unknown, props: unknown) => unknown) => ApiPromise;
  asResponse: () => Promise<unknown>;
  parse: () => Promise<unknown>;
}

/**
 * Follows what a client method returned, until the response arrives. Returns what the app gets: the same kind of promise,
 * with `withResponse()` and `asResponse()`. The body is read once, when the app asks for it.
 */
export function followResponse(returned: unknown, call: ModelCall, settings: StreamSettings): unknown {
  if (isApiPromise(returned)) return followApiPromise(returned, call, settings);
  if (isFernPromise(returned)) return followFernPromise(returned, call, settings);
  const onValue = (response: unknown): unknown => takeResponse(response, undefined, call, settings);
  const onError = (error: unknown): never => {
    call.fail(error);
    throw error;
  };
  if (returned instanceof Promise && !Object.hasOwn(returned, "then")) return returned.then(onValue, onError);
  return isPromise(returned) ? followThenable(returned, onValue, onError) : onValue(returned);
}

/** Calls a function with the parsed response of a client promise when the app reads it. The app gets it unchanged. */
export function onResponseRead(returned: unknown, callback: (response: unknown) => void): unknown {
  const pass = (response: unknown): unknown => {
    try {
      callback(response);
    } catch {
      // Recording must not disturb the app.
    }
    return response;
  };
  if (isApiPromise(returned)) return returned._thenUnwrap(pass);
  return returned instanceof Promise ? returned.then(pass) : returned;
}

function followApiPromise(promise: ApiPromise, call: ModelCall, settings: StreamSettings): ApiPromise {
  const followed = promise._thenUnwrap((response, props) =>
    takeResponse(response, field(props, "response"), call, settings),
  );
  const reads: Reads = { parsed: false, raw: false };
  // Promises that are derived from this one keep it in memory.
  unreadPromises.register(followed, () => {
    if (!reads.parsed && !reads.raw) call.endCollectedPromise();
  });
  return followReads(followed, call, reads, settings);
}

/** Ends the call of a promise that was garbage-collected unread. The client sends the request nevertheless. */
const unreadPromises = new FinalizationRegistry<() => void>((end) => end());

/** How the response was read. All promises of one call share it. */
interface Reads {
  /** As the parsed object. */
  parsed: boolean;
  /** As the HTTP response. */
  raw: boolean;
}

/**
 * Wraps the methods that read the response. Their errors are those of the request, of a broken connection and of an invalid
 * body. Helpers of the client (`parse`, `stream`) derive their own promises, which are wrapped too. No handler is attached
 * to a promise that the app does not read: its error stays unhandled, as without the SDK.
 */
function followReads(
  promise: ApiPromise,
  call: ModelCall,
  reads: Reads,
  settings: StreamSettings,
): ApiPromise {
  const { parse, asResponse, _thenUnwrap: thenUnwrap } = promise;
  const recordError = (error: unknown): void => call.fail(error);
  promise.parse = () => {
    reads.parsed = true;
    const parsed = parse.call(promise);
    parsed.then(undefined, recordError);
    return parsed;
  };
  promise.asResponse = () => {
    const response = asResponse.call(promise);
    response.then(undefined, recordError);
    // In some versions `withResponse()` calls this method in addition to `parse()`.
    if (reads.parsed) return response;
    reads.raw = true;
    return response.then((raw) => followRawResponse(raw, call, settings));
  };
  promise._thenUnwrap = (transform) =>
    followReads(thenUnwrap.call(promise, transform), call, reads, settings);
  return promise;
}

/** @param httpResponse - the HTTP response that the parsed response comes from, if it is known. */
function takeResponse(
  response: unknown,
  httpResponse: unknown,
  call: ModelCall,
  settings: StreamSettings,
): unknown {
  try {
    call.recordHttpResponse(httpResponse);
    if (isAsyncIterable(response)) return followStream(response, httpResponse, call, settings);
    call.succeed(() => response);
  } catch {
    // Recording must not disturb the app: what cannot be followed ends here.
    call.endUnread();
  }
  return response;
}

/** The promise of a client that Fern generates (`cohere-ai`). */
interface FernPromise {
  /** All methods of the promise (`then`, `withRawResponse`) use this private promise. */
  innerPromise: Promise<{ readonly data: unknown; readonly rawResponse: unknown }>;
}

function isFernPromise(value: unknown): value is FernPromise {
  return (
    typeof member(value, "withRawResponse") === "function" && field(value, "innerPromise") instanceof Promise
  );
}

/** Returns the same promise. */
function followFernPromise(promise: FernPromise, call: ModelCall, settings: StreamSettings): FernPromise {
  promise.innerPromise = promise.innerPromise.then(
    (answer) => ({ ...answer, data: takeResponse(answer.data, answer.rawResponse, call, settings) }),
    (error: unknown) => {
      call.fail(error);
      throw error;
    },
  );
  return promise;
}

/** True for a promise of any class. A `then` that is a getter is not read: it may give another value each time. */
function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof dataValue(value, "then") === "function";
}

function isApiPromise(value: unknown): value is ApiPromise {
  return (
    isPromise(value) &&
    ["_thenUnwrap", "asResponse", "parse"].every((name) => typeof member(value, name) === "function")
  );
}
