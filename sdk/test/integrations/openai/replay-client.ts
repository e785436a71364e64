import OpenAI, { AzureOpenAI, type ClientOptions } from "openai";
import type { Exchange } from "../../replay/exchange.js";

/** The hosts of the recorded providers. */
const HOSTS: Readonly<Record<string, string>> = {
  openai: "https://api.openai.com",
  groq: "https://api.groq.com",
  deepseek: "https://api.deepseek.com",
  mistral_ai: "https://api.mistral.ai",
  openrouter: "https://openrouter.ai",
  together: "https://api.together.xyz",
  x_ai: "https://api.x.ai",
  voyage: "https://api.voyageai.com",
  "azure.openai": "https://example.openai.azure.com",
  "azure.ai.inference": "https://example.services.ai.azure.com",
};

/** The provider names of spans that differ from the names in the recordings. */
const SPAN_PROVIDERS: Readonly<Record<string, string>> = {
  mistral_ai: "mistral",
  x_ai: "xai",
  "azure.openai": "azure",
  "azure.ai.inference": "azure",
};

/** The provider that the span of an exchange must have. */
export function spanProvider({ provider }: Exchange["expect"]): string {
  return SPAN_PROVIDERS[provider] ?? provider;
}

/**
 * The real client as an app creates it for this provider, with the provider's address. Its requests go to the replay
 * server.
 */
export function clientOf(exchange: Exchange, serverUrl: string, options: ClientOptions = {}): OpenAI {
  const host = HOSTS[exchange.provider] ?? "https://llm.example.com";
  const url = new URL(exchange.request.path, host);
  const shared = { apiKey: "test-key", maxRetries: 0, fetch: toServer(serverUrl), ...options };
  if (exchange.provider === "azure.openai") {
    return new AzureOpenAI({
      apiKey: "test-key",
      maxRetries: 0,
      fetch: toServer(serverUrl),
      endpoint: host,
      apiVersion: url.searchParams.get("api-version") ?? "",
      deployment: url.pathname.split("/")[3] ?? "",
    });
  }
  const path = url.pathname.replace(/\/(chat\/completions|completions|responses|embeddings)(\/.*)?$/, "");
  return new OpenAI({
    ...shared,
    baseURL: `${host}${path}`,
    defaultQuery: Object.fromEntries(url.searchParams),
  });
}

/** A `fetch` that sends requests for the provider to the replay server. */
export function toServer(serverUrl: string): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return await fetch(`${serverUrl}${url.pathname}${url.search}`, init);
  };
}

/** What the app received. */
export interface Received {
  /** The response, or all chunks of its stream. */
  readonly answer?: unknown;
  readonly chunks?: readonly unknown[];
  readonly error?: unknown;
}

/** Makes the recorded call, and reads the complete response. */
export async function makeCall(client: OpenAI, exchange: Exchange): Promise<Received> {
  const chunks: unknown[] = [];
  try {
    const answer: unknown = await startCall(client, exchange);
    if (!isStream(answer)) return { answer };
    for await (const chunk of answer) chunks.push(chunk);
    return { chunks };
  } catch (error) {
    return { chunks, error };
  }
}

/** Makes the recorded call with the recorded body. */
export function startCall(client: OpenAI, { api, request, expect }: Exchange): PromiseLike<unknown> {
  const { model, stream } = expect;
  // One exchange was recorded without its request.
  const body = (request.body ?? { model, stream, input: "Hello" }) as never;
  switch (api) {
    case "chat.completions":
      return client.chat.completions.create(body);
    case "responses":
      return client.responses.create(body);
    case "completions":
      return client.completions.create(body);
    case "embeddings":
      return client.embeddings.create(body);
    default:
      throw new Error(`No call for ${api}.`);
  }
}

/** The recorded request of a chat completion. */
export function chatRequest(exchange: Exchange): OpenAI.ChatCompletionCreateParamsNonStreaming {
  return exchange.request.body as never;
}

/** The recorded request of a streamed chat completion. */
export function chatStreamRequest(exchange: Exchange): OpenAI.ChatCompletionCreateParamsStreaming {
  return exchange.request.body as never;
}

/** All chunks of a stream. */
export async function readAll(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
