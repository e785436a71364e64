import { field } from "../json-fields.js";
import { inCamelCase } from "../model-client/camel-case.js";
import type { ClientLibrary, ModelClientOptions, ModelMethod } from "../model-client/client-library.js";
import type { ModelOperation } from "../model-client/operation.js";
import { describeStatusError, isAbortError } from "../model-client/status-error.js";
import { wrapClient } from "../model-client/wrap-client.js";
import { cohereChatV1 } from "../wire/cohere-chat-v1.js";
import { cohereChatV2 } from "../wire/cohere-chat-v2.js";
import { cohereEmbed } from "../wire/cohere-embed.js";
import { cohereRerank } from "../wire/cohere-rerank.js";

/** How the calls of a client are recorded. */
export interface WrapCohereOptions extends ModelClientOptions {
  /** Provider, as the label `provider` shows it. Default: `cohere`. */
  readonly provider?: string | undefined;
  /** Evaluation types of these calls. Default: the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** Share of these calls to evaluate, 0 to 1. Default: the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

const chatV1 = inCamelCase(cohereChatV1);
const chatV2 = inCamelCase(cohereChatV2);
const embed = inCamelCase(cohereEmbed);
const rerank = inCamelCase(cohereRerank);

function methodsAt(path: readonly string[], chat: ModelOperation): readonly ModelMethod[] {
  return [
    { path, method: "chat", operation: chat, isAmbiguous: true },
    { path, method: "chatStream", operation: chat, isStream: true },
    { path, method: "embed", operation: embed, isAmbiguous: true },
    { path, method: "rerank", operation: rerank },
  ];
}

const LIBRARY: Omit<ClientLibrary, "methods"> = {
  wrapper: "wrapCohere",
  expectedClient: "a client such as new CohereClientV2()",
  providerOf: () => "cohere",
  describeError: describeStatusError,
  isUserAbort: isAbortError,
  requestIdHeader: "x-debug-trace-id",
};

/** The methods of `CohereClientV2`. */
const V2_LIBRARY: ClientLibrary = { ...LIBRARY, methods: methodsAt([], chatV2) };

/** The methods of `CohereClient`, which has those of version 2 in the field `v2`. */
const V1_LIBRARY: ClientLibrary = {
  ...LIBRARY,
  methods: [...methodsAt([], chatV1), ...methodsAt(["v2"], chatV2)],
};

/**
 * Records every model call of a Cohere client as a span: `chat`, `chatStream`, `embed` and `rerank`, with their streams, tools,
 * tokens and errors. Calls behave as before: same promises with `withRawResponse()`, same streams, same errors.
 *
 * The client itself is changed and returned. Wrapping it again has no effect. It works with `CohereClient` and `CohereClientV2`
 * of `cohere-ai` 7 and 8, and imports neither.
 *
 * @param client - the client, for example `new CohereClientV2()`. Anything else causes one warning, and nothing is recorded.
 * @returns the same client.
 *
 * @example
 * ```ts
 * const cohere = wrapCohere(new CohereClientV2({ token: process.env.CO_API_KEY }));
 * ```
 */
export function wrapCohere<Client extends object>(client: Client, options: WrapCohereOptions = {}): Client {
  const isV2 = field(client, "clientV2") !== undefined;
  wrapClient(client, isV2 ? V2_LIBRARY : V1_LIBRARY, options, (clone) => clone);
  return client;
}
