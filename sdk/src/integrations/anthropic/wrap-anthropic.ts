import { describeApiError, isUserAbort } from "../model-client/api-error.js";
import type { ClientLibrary, ModelClientOptions, ModelMethod } from "../model-client/client-library.js";
import { providerOf } from "../model-client/provider.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import { wrapClient } from "../model-client/wrap-client.js";
import { anthropicMessage } from "../wire/anthropic.js";
import { recordBatchResults } from "./batch-results.js";
import { traceToolRunner } from "./tool-runner.js";

/** How the calls of a client are recorded. */
export interface WrapAnthropicOptions extends ModelClientOptions {
  /**
   * Provider, as the label `provider` shows it.
   *
   * Default: derived from the client's address (`anthropic`, `bedrock`, `google` for Vertex AI, `azure`, …); `anthropic` for an
   * unknown address.
   */
  readonly provider?: string | undefined;
  /** Evaluation types of these calls. Default: the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** Share of these calls to evaluate, 0 to 1. Default: the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

/**
 * The methods that send a request to a model. `messages.stream()`, `messages.parse()`, `beta.messages.toolRunner()` and message
 * threads call these, so that each request is recorded once.
 */
const METHODS: readonly ModelMethod[] = [["messages"], ["beta", "messages"]].map((path) => ({
  path,
  method: "create",
  operation: anthropicMessage,
}));

const LIBRARY: ClientLibrary = {
  wrapper: "wrapAnthropic",
  expectedClient: "a client such as new Anthropic()",
  methods: METHODS,
  providerOf: (client) => providerOf(client, "anthropic"),
  describeError: describeApiError,
  isUserAbort,
  requestIdHeader: "request-id",
};

/**
 * Records every model call of an Anthropic client as a span: `messages.create`, `stream` and `parse`, the same methods of
 * `beta.messages`, the requests and tools of `beta.messages.toolRunner`, and the results of message batches. Calls behave as
 * before: same promises, same streams, same errors.
 *
 * The client itself is changed and returned, so that objects which the app took from it are recorded too. Wrapping it again
 * has no effect. Clients that `withOptions()` creates are recorded as well. The clients for Bedrock, Vertex AI and Foundry have
 * the same shape and can be wrapped too. The package imports none of them.
 *
 * @param client - the client, for example `new Anthropic()`. Anything else is returned unchanged, with a warning.
 * @returns the same client.
 *
 * @example
 * ```ts
 * const anthropic = wrapAnthropic(new Anthropic());
 * ```
 */
export function wrapAnthropic<Client extends object>(
  client: Client,
  options: WrapAnthropicOptions = {},
): Client {
  wrapClient(client, LIBRARY, options, (clone) => wrapAnthropic(clone, options));
  ignoringErrors(() => recordBatchResults({ client, library: LIBRARY, options }));
  ignoringErrors(() => traceToolRunner(client));
  return client;
}
