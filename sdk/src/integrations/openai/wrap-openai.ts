import { field } from "../json-fields.js";
import { describeApiError, isUserAbort } from "../model-client/api-error.js";
import { BackgroundResponses } from "../model-client/background-responses.js";
import type { ClientLibrary, ModelClientOptions, ModelMethod } from "../model-client/client-library.js";
import type { ModelOperation } from "../model-client/operation.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import { providerOf } from "../model-client/provider.js";
import { wrapClient } from "../model-client/wrap-client.js";
import { openaiChat } from "../wire/openai-chat.js";
import { openaiCompletions } from "../wire/openai-completions.js";
import { openaiEmbeddings } from "../wire/openai-embeddings.js";
import { openaiResponses } from "../wire/openai-responses.js";
import { traceRunTools } from "./run-tools.js";
import { prepareUsage } from "./stream-usage.js";

/** How the calls of a client are recorded. */
export interface WrapOpenAIOptions extends ModelClientOptions {
  /**
   * Provider, as the label `provider` shows it.
   *
   * Default: derived from the client's address (`openai`, `azure`, `groq`, `deepseek`, `mistral`, `openrouter`, `ollama`,
   * …); `openai` for an unknown address.
   */
  readonly provider?: string | undefined;
  /**
   * Whether streams are asked for their token counts (`stream_options.include_usage`) if the app does not do so. The app
   * does not get the extra chunk. True asks every server, false asks none.
   *
   * Default: asks the servers that are known to accept the field and to send no token counts without it: OpenAI, Azure
   * OpenAI, Anthropic, Google, Moonshot, Alibaba, Ollama, and servers on the same machine. Other servers may reject a field
   * that they do not know, and are not asked.
   */
  readonly includeUsage?: boolean | undefined;
  /** Evaluation types of these calls. Default: the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** Share of these calls to evaluate, 0 to 1. Default: the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

/** One for the process: a client may retrieve a response that another client has started. */
const backgroundResponses = new BackgroundResponses();

/** The responses API, with the responses that continue in the background. */
const responses: ModelOperation = {
  ...openaiResponses,
  onResponse: (response) => void backgroundResponses.update(response),
};

/**
 * The methods that send a request to a model. The other methods that call a model (`chat.completions.parse`, `stream` and
 * `runTools`, `responses.parse` and `stream`) call these, so that each request is recorded once.
 */
function methods(options: WrapOpenAIOptions): readonly ModelMethod[] {
  const prepareStream: ModelMethod["prepareStream"] = (client, request) =>
    prepareUsage(client, request, options.includeUsage);
  return [
    { path: ["chat", "completions"], method: "create", operation: openaiChat, prepareStream },
    {
      path: ["completions"],
      method: "create",
      operation: openaiCompletions,
      prepareStream,
      // Anthropic's client has it too.
      isAmbiguous: true,
    },
    { path: ["embeddings"], method: "create", operation: openaiEmbeddings },
    { path: ["responses"], method: "create", operation: responses },
    { path: ["beta", "responses"], method: "create", operation: responses },
    { path: ["responses"], method: "compact", operation: { ...responses, name: "compact" } },
    retrieveMethod(["responses"]),
    retrieveMethod(["beta", "responses"]),
  ];
}

/** Retrieving a response by its id is a model call only if the response continues as a stream. */
function retrieveMethod(path: readonly string[]): ModelMethod {
  return {
    path,
    method: "retrieve",
    operation: responses,
    requestOf: ([, query]) => query,
    isModelCall: ([, query]) => field(query, "stream") === true,
    completesEarlierCall: (response) => backgroundResponses.update(response),
  };
}

/**
 * Records every model call of an OpenAI client as a span: chat completions, responses, legacy completions and embeddings,
 * with their streams, tools, tokens and errors. Calls behave as before: same promises, same streams, same errors.
 *
 * The client itself is changed and returned, so that objects which the app took from it are recorded too. Wrapping it again
 * has no effect. Clients that `withOptions()` creates are recorded as well. It works with every client of that shape
 * (`openai` 4 to 7, `AzureOpenAI`, `groq-sdk` and the like), and imports none of them.
 *
 * @param client - the client, for example `new OpenAI()`.
 * @returns the same client.
 *
 * @example
 * ```ts
 * const openai = wrapOpenAI(new OpenAI());
 * ```
 */
export function wrapOpenAI<Client extends object>(client: Client, options: WrapOpenAIOptions = {}): Client {
  const library: ClientLibrary = {
    wrapper: "wrapOpenAI",
    expectedClient: "a client such as new OpenAI()",
    methods: methods(options),
    providerOf: (of) => providerOf(of, "openai"),
    describeError: describeApiError,
    isUserAbort,
    requestIdHeader: "x-request-id",
  };
  wrapClient(client, library, options, (clone) => wrapOpenAI(clone, options));
  ignoringErrors(() => traceRunTools(client));
  return client;
}
