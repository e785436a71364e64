import { field, member } from "../json-fields.js";
import { isUserAbort } from "../model-client/api-error.js";
import { BackgroundResponses } from "../model-client/background-responses.js";
import { hookAttempts, hookRequests } from "../model-client/client-hooks.js";
import type { ClientLibrary, ModelClientOptions, ModelMethod } from "../model-client/client-library.js";
import { ignoringErrors } from "../model-client/replace-method.js";
import { wrapClient, wrapMethods } from "../model-client/wrap-client.js";
import { geminiEmbeddings } from "../wire/gemini-embeddings.js";
import { geminiInteraction } from "../wire/gemini-interactions.js";
import { geminiContent } from "../wire/gemini.js";
import { describeGoogleError } from "./api-error.js";
import { countAttempts } from "./attempts.js";
import { onFirstRead } from "./lazy-resource.js";

/** How the calls of a client are recorded. */
export interface WrapGoogleGenAIOptions extends ModelClientOptions {
  /** Provider, as the label `provider` shows it. Default: `google`, for the Gemini API and for Vertex AI. */
  readonly provider?: string | undefined;
  /** Evaluation types of these calls. Default: the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** Share of these calls to evaluate, 0 to 1. Default: the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

/** The parameters of the client in the shape of the API, which has fields for the parts of `config`. */
const contentRequest =
  (stream: boolean): ModelMethod["requestOf"] =>
  ([params]) => {
    const config = field(params, "config");
    const [systemInstruction, tools, toolConfig, serviceTier] = [
      "systemInstruction",
      "tools",
      "toolConfig",
      "serviceTier",
    ].map((key) => field(config, key));
    const request = { model: field(params, "model"), contents: field(params, "contents") };
    return {
      ...request,
      systemInstruction,
      tools,
      toolConfig,
      serviceTier,
      generationConfig: config,
      stream,
    };
  };

/**
 * The methods of `models`. A call with automatic function calling or continuation sends several requests, and returns the token
 * counts of the last one. The methods that send one request each are therefore recorded; a client without them is recorded at
 * its public methods.
 */
function methods(client: object): readonly ModelMethod[] {
  const suffix =
    typeof member(member(client, "models"), "generateContentInternal") === "function" ? "Internal" : "";
  const models = [
    ["generateContent", geminiContent, contentRequest(false)],
    ["generateContentStream", geminiContent, contentRequest(true)],
    ["embedContent", geminiEmbeddings, undefined],
  ] as const;
  return models.map(([name, operation, requestOf]) => ({
    path: ["models"],
    method: name + suffix,
    operation,
    ...(requestOf && { requestOf }),
  }));
}

/** One for the process: any client may get an interaction that continues in the background. */
const backgroundInteractions = new BackgroundResponses();

const INTERACTIONS: readonly ModelMethod[] = [
  {
    path: ["interactions"],
    method: "create",
    operation: {
      ...geminiInteraction,
      onResponse: (response) => void backgroundInteractions.update(response),
    },
  },
  {
    path: ["interactions"],
    method: "get",
    operation: geminiInteraction,
    requestOf: ([, query]) => query,
    isModelCall: ([, query]) => field(query, "stream") === true,
    completesEarlierCall: (response) => backgroundInteractions.update(response),
  },
];

/**
 * Records every model call of a Google GenAI client as a span: `models.generateContent`, `generateContentStream` and
 * `embedContent`, chats, and interactions, for the Gemini API and for Vertex AI. Each request is one span, also if a call sends
 * several. Calls behave as before: same promises, same streams, same errors.
 *
 * The client itself is changed and returned, so that objects which the app took from it are recorded too. Wrapping it again
 * has no effect. It works with `@google/genai` 1 to 3, and imports none of them.
 *
 * @param client - the client, for example `new GoogleGenAI({ apiKey })`. Anything else is returned unchanged, with a warning.
 * @returns the same client.
 *
 * @example
 * ```ts
 * const ai = wrapGoogleGenAI(new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY }));
 * ```
 */
export function wrapGoogleGenAI<Client extends object>(
  client: Client,
  options: WrapGoogleGenAIOptions = {},
): Client {
  const library: ClientLibrary = {
    wrapper: "wrapGoogleGenAI",
    expectedClient: "a client such as new GoogleGenAI()",
    methods: methods(client),
    providerOf: () => "google",
    describeError: describeGoogleError,
    isUserAbort,
    requestIdHeader: "x-request-id",
  };
  wrapClient(client, library, options, (clone) => wrapGoogleGenAI(clone, options));
  ignoringErrors(() => countAttempts(member(client, "apiClient")));
  onFirstRead(client, "interactions", (interactions) => {
    const holder = { interactions };
    wrapMethods({ client: holder, library: { ...library, methods: INTERACTIONS }, options });
    // The client of version 1 has the shape of OpenAI's.
    const inner = field(interactions, "_client");
    if (typeof inner !== "object" || inner === null) return;
    hookAttempts(inner);
    hookRequests(inner);
  });
  return client;
}
