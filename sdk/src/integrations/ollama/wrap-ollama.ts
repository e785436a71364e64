import type { ClientLibrary, ModelClientOptions } from "../model-client/client-library.js";
import { describeStatusError, isAbortError } from "../model-client/status-error.js";
import { wrapClient } from "../model-client/wrap-client.js";
import { ollamaChat, ollamaEmbed, ollamaGenerate } from "../wire/ollama.js";

/** How the calls of a client are recorded. */
export interface WrapOllamaOptions extends ModelClientOptions {
  /** Provider, as the label `provider` shows it. Default: `ollama`. */
  readonly provider?: string | undefined;
  /** Evaluation types of these calls. Default: the option `evaluationTypes`. */
  readonly evaluationTypes?: readonly string[] | undefined;
  /** Share of these calls to evaluate, 0 to 1. Default: the option `evaluationSampleRate`. */
  readonly evaluationSampleRate?: number | undefined;
}

const LIBRARY: ClientLibrary = {
  wrapper: "wrapOllama",
  expectedClient: "a client such as new Ollama()",
  methods: [
    { path: [], method: "chat", operation: ollamaChat, isAmbiguous: true },
    { path: [], method: "generate", operation: ollamaGenerate, isAmbiguous: true },
    { path: [], method: "embed", operation: ollamaEmbed, isAmbiguous: true },
    { path: [], method: "embeddings", operation: ollamaEmbed },
  ],
  providerOf: () => "ollama",
  describeError: describeStatusError,
  isUserAbort: isAbortError,
  requestIdHeader: "x-request-id",
};

/**
 * Records every model call of an Ollama client as a span: `chat`, `generate`, `embed` and `embeddings`, with their streams, tools,
 * tokens and errors. Calls behave as before: same promises, same streams, same errors. `abort()` ends the spans of the streams
 * that it cancels.
 *
 * The client itself is changed and returned. Wrapping it again has no effect. The package `ollama` is not imported.
 *
 * @param client - the client: the default export of `ollama`, or `new Ollama()`. Anything else causes one warning, and nothing is
 *   recorded.
 * @returns the same client.
 *
 * @example
 * ```ts
 * const ollama = wrapOllama(new Ollama({ host: "http://127.0.0.1:11434" }));
 * ```
 */
export function wrapOllama<Client extends object>(client: Client, options: WrapOllamaOptions = {}): Client {
  wrapClient(client, LIBRARY, options, (clone) => clone);
  return client;
}
