import type { ModelOperation } from "../model-client/operation.js";
import type { WireFormat } from "./endpoints.js";

/** The reader of a format. */
export interface FormatReader {
  /** Most formats have one operation for all requests. */
  readonly operationOf: (request: unknown) => ModelOperation;
  /** Adds what the headers of a response have to its body. */
  readonly readBody?: (body: unknown, headers: Headers) => unknown;
}

function always(operation: ModelOperation): FormatReader {
  return { operationOf: () => operation };
}

/** Loads the reader of a format with the first request that needs it: most apps use one or two providers. */
const LOADERS: Readonly<Record<WireFormat, () => Promise<FormatReader>>> = {
  "openai-chat": () => import("../wire/openai-chat.js").then((wire) => always(wire.openaiChat)),
  "openai-responses": () =>
    import("../wire/openai-responses.js").then((wire) => always(wire.openaiResponses)),
  "openai-completions": () =>
    import("../wire/openai-completions.js").then((wire) => always(wire.openaiCompletions)),
  "openai-embeddings": () =>
    import("../wire/openai-embeddings.js").then((wire) => always(wire.openaiEmbeddings)),
  anthropic: () => import("../wire/anthropic.js").then((wire) => always(wire.anthropicMessage)),
  "bedrock-converse": () =>
    import("../wire/bedrock-converse.js").then((wire) => always(wire.bedrockConverse)),
  "bedrock-invoke": () => loadBedrockInvoke(),
  "cohere-chat-v1": () => import("../wire/cohere-chat-v1.js").then((wire) => always(wire.cohereChatV1)),
  "cohere-chat-v2": () => import("../wire/cohere-chat-v2.js").then((wire) => always(wire.cohereChatV2)),
  "cohere-embed": () => import("../wire/cohere-embed.js").then((wire) => always(wire.cohereEmbed)),
  "cohere-rerank": () => import("../wire/cohere-rerank.js").then((wire) => always(wire.cohereRerank)),
  gemini: () => import("../wire/gemini.js").then((wire) => always(wire.geminiContent)),
  "gemini-embeddings": () =>
    import("../wire/gemini-embeddings.js").then((wire) => always(wire.geminiEmbeddings)),
  "gemini-interactions": () =>
    import("../wire/gemini-interactions.js").then((wire) => always(wire.geminiInteraction)),
  "mistral-chat": () => import("../wire/mistral.js").then((wire) => always(wire.mistralChat)),
  "mistral-fim": () => import("../wire/mistral.js").then((wire) => always(wire.mistralFim)),
  "ollama-chat": () => import("../wire/ollama.js").then((wire) => always(wire.ollamaChat)),
  "ollama-generate": () => import("../wire/ollama.js").then((wire) => always(wire.ollamaGenerate)),
  "ollama-embed": () => import("../wire/ollama.js").then((wire) => always(wire.ollamaEmbed)),
};

async function loadBedrockInvoke(): Promise<FormatReader> {
  const { bedrockInvoke } = await import("../wire/bedrock-invoke.js");
  const { withHeaderCounts } = await import("../wire/bedrock-metrics.js");
  return {
    operationOf: bedrockInvoke,
    readBody: (body, headers) => withHeaderCounts(body, (name) => headers.get(name) ?? undefined),
  };
}

const loaded = new Map<WireFormat, FormatReader>();

/** The reader of a format; a promise until it is loaded. */
export function loadReader(format: WireFormat): FormatReader | Promise<FormatReader> {
  return (
    loaded.get(format) ??
    LOADERS[format]().then((reader) => {
      loaded.set(format, reader);
      return reader;
    })
  );
}
