import { field, textOf } from "../json-fields.js";
import { addressOf, isAzureClient, isOfHost, providerOf } from "./provider.js";

/**
 * Whether a server is asked for the usage of a stream: it is not where the usage comes anyway, or where the server is known
 * to refuse the field, nor where nobody knows. Many that speak the protocol refuse fields that they do not know (Databricks,
 * models of Mistral on every cloud), and a call of the app's must not fail for a number.
 */
export type StreamUsage = "asked" | "not asked" | "unknown";

/**
 * Hosts that take `stream_options`, as far as is known. Not among them: clouds that offer models of many makers
 * (Bedrock, GitHub, Hugging Face, NVIDIA, Azure's `services.ai`), some of which refuse it.
 */
const TAKE_STREAM_OPTIONS = [
  "api.openai.com",
  "api.anthropic.com",
  "googleapis.com",
  "api.moonshot.ai",
  "api.moonshot.cn",
  "aliyuncs.com",
  "ollama.com",
];

/** Azure's hosts with OpenAI's models: the version of the API decides. */
const AZURE_OPENAI = ["openai.azure.com", "cognitiveservices.azure.com"];

/** Ollama, LM Studio, llama.cpp, vLLM, SGLang, LiteLLM, LocalAI: all take it, or pass over what they do not know. */
const OWN_MACHINE = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "host.docker.internal"];

const SENDS_USAGE_UNASKED = new Set([
  "mistral",
  "groq",
  "deepseek",
  "openrouter",
  "together",
  "xai",
  "fireworks",
  "perplexity",
  "cohere",
]);

/** What is known of the server that a client talks to. */
export function streamUsageOf(client: unknown): StreamUsage {
  const url = addressOf(client);
  const isHost = (hosts: readonly string[]): boolean =>
    url !== undefined && hosts.some((host) => isOfHost(url, host));
  if (isAzureClient(client) || isHost(AZURE_OPENAI)) {
    return azureStreamUsage(client, url);
  }
  if (isHost(TAKE_STREAM_OPTIONS) || isHost(OWN_MACHINE)) return "asked";
  return SENDS_USAGE_UNASKED.has(providerOf(client)) ? "not asked" : "unknown";
}

/** Azure knows `stream_options` since 2024-09-01-preview; the v1 API has no version in its address. */
function azureStreamUsage(client: unknown, url: URL | undefined): StreamUsage {
  const query = field(field(client, "_options"), "defaultQuery");
  const version = textOf(field(client, "apiVersion")) ?? textOf(field(query, "api-version"));
  if (version === undefined) return url?.pathname.startsWith("/openai/v1") === true ? "asked" : "unknown";
  return /^\d{4}-\d\d-\d\d/.test(version) && version < "2024-09-01" ? "not asked" : "asked";
}

/** What to tell whoever wonders where the tokens of a server's streams are. */
export function missingUsageHint(client: unknown): string {
  const host = addressOf(client)?.host ?? "this server";
  return (
    `Streams of ${host} come without token counts. ` +
    "If it knows stream_options.include_usage, wrapOpenAI(client, { includeUsage: true }) asks it for them."
  );
}
