import { currentCall } from "../model-client/model-call.js";
import { replaceMethod } from "../model-client/replace-method.js";

/** The position of the argument with `fetch` in `apiCall()`, since version 2. */
const FETCH_ARGUMENT = 5;

type Fetch = (this: unknown, ...args: unknown[]) => unknown;

/** Counts the attempts of a call: the client calls `fetch` once for each. */
export function countAttempts(apiClient: unknown): void {
  replaceMethod(
    apiClient,
    "apiCall",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const call = currentCall();
        if (call === undefined || original.length <= FETCH_ARGUMENT)
          return Reflect.apply(original, this, args);
        const send = (args[FETCH_ARGUMENT] ?? globalThis.fetch) as Fetch;
        let attempts = 0;
        const counted: Fetch = function (...fetchArgs) {
          call.recordAttempt(attempts++);
          return Reflect.apply(send, this, fetchArgs);
        };
        return Reflect.apply(original, this, [...args.slice(0, FETCH_ARGUMENT), counted]);
      },
  );
}
