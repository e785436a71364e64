import { field } from "../json-fields.js";
import { inCamelCase } from "../model-client/camel-case.js";
import type { ClientLibrary, ModelClientOptions, ModelMethod } from "../model-client/client-library.js";
import { currentCall } from "../model-client/model-call.js";
import { ignoringErrors, replaceMethod } from "../model-client/replace-method.js";
import { describeStatusError, isAbortError } from "../model-client/status-error.js";
import { wrapClient } from "../model-client/wrap-client.js";
import { mistralChat, mistralEmbeddings, mistralFim } from "../wire/mistral.js";

/** How the calls of a client are recorded. */
export interface WrapMistralOptions extends ModelClientOptions {
  /** Provider, as the label `provider` shows it. Default: `mistral`. */
  readonly provider?: string | undefined;
  /** Evaluation types of these calls. Default: the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** Share of these calls to evaluate, 0 to 1. Default: the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

/** The events of a stream have the chunk in the field `data`. */
const chunkOf = (event: unknown): unknown => field(event, "data");
const chat = inCamelCase(mistralChat, chunkOf);
const fim = inCamelCase(mistralFim, chunkOf);

const METHODS: readonly ModelMethod[] = [
  { path: ["chat"], method: "complete", operation: chat },
  { path: ["chat"], method: "parse", operation: chat },
  { path: ["chat"], method: "stream", operation: chat, isStream: true },
  { path: ["chat"], method: "parseStream", operation: chat, isStream: true },
  { path: ["agents"], method: "complete", operation: chat },
  { path: ["agents"], method: "stream", operation: chat, isStream: true },
  { path: ["fim"], method: "complete", operation: fim },
  { path: ["fim"], method: "stream", operation: fim, isStream: true },
  {
    path: ["embeddings"],
    method: "create",
    isAmbiguous: true,
    operation: inCamelCase(mistralEmbeddings),
    // The client's name of the wire's `input`.
    requestOf: ([request]) => ({ model: field(request, "model"), input: field(request, "inputs") }),
  },
];

const LIBRARY: ClientLibrary = {
  wrapper: "wrapMistral",
  expectedClient: "a client such as new Mistral()",
  methods: METHODS,
  providerOf: () => "mistral",
  describeError: describeStatusError,
  isUserAbort: isAbortError,
  requestIdHeader: "mistral-correlation-id",
};

/**
 * Records every model call of a Mistral client as a span: `chat`, `agents`, `fim` and `embeddings`, with their streams, tools,
 * tokens and errors. Calls behave as before: same promises, same streams, same errors.
 *
 * The client itself is changed and returned. Wrapping it again has no effect. It works with `@mistralai/mistralai` 1 and 2, and
 * imports neither.
 *
 * @param client - the client, for example `new Mistral()`. Anything else causes one warning, and nothing is recorded.
 * @returns the same client.
 *
 * @example
 * ```ts
 * const mistral = wrapMistral(new Mistral({ apiKey: process.env.MISTRAL_API_KEY }));
 * ```
 */
export function wrapMistral<Client extends object>(client: Client, options: WrapMistralOptions = {}): Client {
  wrapClient(client, LIBRARY, options, (clone) => clone);
  ignoringErrors(() => hookRequests(field(field(client, "_options"), "hooks")));
  return client;
}

/** Counts the attempts of a call, and records its HTTP response. All resources of a client share its hooks. */
function hookRequests(hooks: unknown): void {
  replaceMethod(
    hooks,
    "beforeRequest",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        currentCall()?.addAttempt();
        return Reflect.apply(original, this, args);
      },
  );
  replaceMethod(
    hooks,
    "afterSuccess",
    (original) =>
      function (this: unknown, ...args: unknown[]): unknown {
        ignoringErrors(() => currentCall()?.recordHttpResponse(args[1]));
        return Reflect.apply(original, this, args);
      },
  );
}
