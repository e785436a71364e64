import { field, numberOf } from "../json-fields.js";
import { currentCall } from "./model-call.js";
import { ignoringErrors, replaceMethod } from "./replace-method.js";

/*
 * Hooks for clients that Stainless generates (`openai`, `@anthropic-ai/sdk`, `groq-sdk`). On other clients the methods are
 * missing, and nothing is replaced.
 */

/** Counts the attempts of a call. The client builds each attempt separately, and numbers it. */
export function hookAttempts(client: object): void {
  replaceMethod(
    client,
    "buildRequest",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        currentCall()?.recordAttempt(numberOf(field(args[1], "retryCount")) ?? 0);
        return Reflect.apply(original, this, args);
      },
  );
}

/** Records the response of a request, or its error, even if the app does not read it. */
export function hookRequests(client: object): void {
  replaceMethod(
    client,
    "makeRequest",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const call = currentCall();
        const isFirst = call?.claimRequest() === true;
        const request = Reflect.apply(original, this, args);
        if (call === undefined || !isFirst || !(request instanceof Promise)) return request;
        return request.then(
          (made: unknown) => {
            ignoringErrors(() => call.recordHttpResponse(field(made, "response")));
            return made;
          },
          (error: unknown) => {
            call.fail(error);
            throw error;
          },
        );
      },
  );
}

/** Wraps the clients that `withOptions()` creates. */
export function hookClones(client: object, wrap: (clone: object) => object): void {
  replaceMethod(
    client,
    "withOptions",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        const clone: unknown = Reflect.apply(original, this, args);
        return typeof clone === "object" && clone !== null ? wrap(clone) : clone;
      },
  );
}
