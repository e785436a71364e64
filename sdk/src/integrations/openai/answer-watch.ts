import { field } from "../json-fields.js";
import { tapRawResponse } from "./raw-response.js";
import { isStream, tapStream, type StreamSettings } from "./stream-watch.js";
import type { TracedCall } from "./traced-call.js";

/** The client's promise, as far as it is used here: its methods beyond a promise's are not in every version. */
interface ApiPromise extends PromiseLike<unknown> {
  _thenUnwrap: (transform: (data: unknown, props: unknown) => unknown) => ApiPromise;
  asResponse: () => Promise<unknown>;
  parse: () => Promise<unknown>;
}

/**
 * Follows what a method of the client returned until the answer is there, and returns what the app gets: the client's own
 * kind of promise, with `withResponse()` and `asResponse()`. The body is read once, when the app asks for it.
 */
export function watchAnswer(returned: unknown, call: TracedCall, settings: StreamSettings): unknown {
  if (isApiPromise(returned)) return watchApiPromise(returned, call, settings);
  if (isPromise(returned)) {
    return returned.then(
      (answer) => takeAnswer(answer, undefined, call, settings),
      (error: unknown) => {
        call.fail(error);
        throw error;
      },
    );
  }
  return takeAnswer(returned, undefined, call, settings);
}

/** Shows the answer of a call that is not traced itself, when the app reads it; what the app gets is as it was. */
export function onAnswer(returned: unknown, show: (answer: unknown) => void): unknown {
  if (!isApiPromise(returned)) return returned;
  return returned._thenUnwrap((answer) => {
    try {
      show(answer);
    } catch {
      // Nothing that goes wrong in watching may reach the app.
    }
    return answer;
  });
}

function watchApiPromise(promise: ApiPromise, call: TracedCall, settings: StreamSettings): ApiPromise {
  const watched = promise._thenUnwrap((answer, props) =>
    takeAnswer(answer, field(props, "response"), call, settings),
  );
  const reading: Reading = { isAsked: false, isAskedRaw: false };
  // The promises that are derived from it keep it.
  unread.register(watched, () => {
    if (!reading.isAsked && !reading.isAskedRaw) call.forget();
  });
  return watchReading(watched, call, reading, settings);
}

/** Promises of the client that nobody looks at: the request is sent all the same, and its answer never read. */
const unread = new FinalizationRegistry<() => void>((end) => end());

/** What the answer was asked for as; the promises that come out of one call share it. */
interface Reading {
  /** As the parsed object. */
  isAsked: boolean;
  /** As the response. */
  isAskedRaw: boolean;
}

/**
 * Puts itself into the methods through which an answer is read, where an error shows too: of the request, of a connection
 * that breaks, of a body that is no JSON. Helpers of the client (`parse`, `stream`) derive promises of their own. Nothing
 * is attached to a promise that the app never looks at: its error stays unhandled, as it would be.
 */
function watchReading(
  promise: ApiPromise,
  call: TracedCall,
  reading: Reading,
  settings: StreamSettings,
): ApiPromise {
  const { parse, asResponse, _thenUnwrap: thenUnwrap } = promise;
  const noteError = (error: unknown): void => call.fail(error);
  promise.parse = () => {
    reading.isAsked = true;
    const parsed = parse.call(promise);
    parsed.then(undefined, noteError);
    return parsed;
  };
  promise.asResponse = () => {
    const response = asResponse.call(promise);
    response.then(undefined, noteError);
    // withResponse() of some versions comes here for the response beside the parsed answer.
    if (reading.isAsked) return response;
    reading.isAskedRaw = true;
    return response.then((raw) => tapRawResponse(raw, call, settings));
  };
  promise._thenUnwrap = (transform) =>
    watchReading(thenUnwrap.call(promise, transform), call, reading, settings);
  return promise;
}

function takeAnswer(answer: unknown, response: unknown, call: TracedCall, settings: StreamSettings): unknown {
  try {
    call.noteResponse(response);
    if (isStream(answer)) return tapStream(answer, response, call, settings);
    call.succeed(() => answer);
  } catch {
    // Nothing that goes wrong in watching may reach the app.
  }
  return answer;
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof field(value, "then") === "function";
}

function isApiPromise(value: unknown): value is ApiPromise {
  return (
    isPromise(value) &&
    ["_thenUnwrap", "asResponse", "parse"].every((name) => typeof field(value, name) === "function")
  );
}
