import { isInModelSpan, isRecording } from "../../capture/integration.js";
import { field, member } from "../json-fields.js";
import { hookAttempts, hookClones, hookRequests } from "./client-hooks.js";
import type { ClientLibrary, ModelClientOptions, ModelMethod } from "./client-library.js";
import { followResponse, onResponseRead } from "./follow-response.js";
import { ModelCall } from "./model-call.js";
import { ignoringErrors, replaceMethod } from "./replace-method.js";
import { warnUnhooked } from "./warn-unhooked.js";
import type { StreamSettings } from "./stream-settings.js";

/** A client that is being wrapped. */
export interface WrappedClient {
  readonly client: object;
  readonly library: ClientLibrary;
  readonly options: ModelClientOptions;
}

/**
 * Records the model calls of a client as spans. The client itself is changed. Wrapping it again has no effect. Warns if the
 * client has none of the library's methods: it is a class, or the client of another vendor.
 *
 * @param wrapClone - wraps a client that this one creates by `withOptions()`.
 */
export function wrapClient(
  client: object,
  library: ClientLibrary,
  options: ModelClientOptions,
  wrapClone: (clone: object) => object,
): void {
  const wrapped: WrappedClient = { client, library, options };
  if (!wrapMethods(wrapped)) {
    warnUnhooked(client, library);
    return;
  }
  ignoringErrors(() => hookAttempts(client));
  ignoringErrors(() => hookRequests(client));
  ignoringErrors(() => hookClones(client, wrapClone));
}

/**
 * Replaces the methods that call a model. Returns true if the client has one that identifies its library; the client of
 * another vendor stays as it is.
 */
export function wrapMethods(wrapped: WrappedClient): boolean {
  const wrapAll = (isAmbiguous: boolean): boolean =>
    wrapped.library.methods
      .filter((method) => (method.isAmbiguous === true) === isAmbiguous)
      .map((method) => ignoringErrors(() => wrapMethod(wrapped, method)))
      .includes(true);
  const isHooked = wrapAll(false);
  if (isHooked) wrapAll(true);
  return isHooked;
}

/** The object at a path of property names. */
export function resourceAt(client: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => member(value, key), client);
}

/** Returns false if the client does not have the method. */
function wrapMethod(wrapped: WrappedClient, method: ModelMethod): boolean {
  return replaceMethod(
    resourceAt(wrapped.client, method.path),
    method.method,
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const started = startCall(wrapped, method, args);
        if (started === undefined)
          return followLateResponse(Reflect.apply(original, this, args), wrapped, method);
        const { call, sentArgs, settings } = started;
        let returned: unknown;
        try {
          returned = call.run(() => Reflect.apply(original, this, sentArgs));
        } catch (error) {
          call.fail(error);
          throw error;
        }
        try {
          return followResponse(returned, call, settings);
        } catch {
          // A promise that cannot be followed, such as a frozen one.
          call.endUnread();
          return returned;
        }
      },
  );
}

/** A call whose span has started, and the arguments that the client gets. */
interface StartedCall {
  readonly call: ModelCall;
  readonly sentArgs: readonly unknown[];
  readonly settings: StreamSettings;
}

/** Returns undefined if the call is not recorded. */
function startCall(
  wrapped: WrappedClient,
  { operation, isStream: alwaysStreams, requestOf, isModelCall, prepareStream }: ModelMethod,
  args: readonly unknown[],
): StartedCall | undefined {
  return ignoringErrors(() => {
    if (!isRecording() || isInModelSpan() || isModelCall?.(args) === false) return undefined;
    const request = requestOf === undefined ? args[0] : requestOf(args);
    const isStream = alwaysStreams ?? field(request, "stream") === true;
    const call = new ModelCall({ ...wrapped, operation }, request, isStream);
    const prepared = isStream ? ignoringErrors(() => prepareStream?.(wrapped.client, request)) : undefined;
    return {
      call,
      sentArgs: prepared?.request === undefined ? args : [prepared.request, ...args.slice(1)],
      settings: prepared?.settings ?? {},
    };
  });
}

/** Records a response that completes an earlier call, such as a background response that the app polls. */
function followLateResponse(
  returned: unknown,
  wrapped: WrappedClient,
  { operation, completesEarlierCall }: ModelMethod,
): unknown {
  if (completesEarlierCall === undefined) return returned;
  const followed = ignoringErrors(() =>
    onResponseRead(returned, (response) => {
      if (!isRecording() || !completesEarlierCall(response)) return;
      const request = { model: field(response, "model") };
      new ModelCall({ ...wrapped, operation }, request, false).succeed(() => response);
    }),
  );
  return followed ?? returned;
}
