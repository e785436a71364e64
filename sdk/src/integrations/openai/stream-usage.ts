import { elementsOf, field, fieldsOf, member, textOf } from "../json-fields.js";
import type { PreparedStream } from "../model-client/client-library.js";
import { addressOf, isAzureClient, isOfHost, providerOf } from "../model-client/provider.js";

/**
 * Whether a server is asked for the token counts of a stream: `ask`, or `leave` if it sends them anyway or is known to
 * reject the field. `unknown` servers are not asked: many servers reject fields that they do not know (Databricks, Mistral
 * models on every cloud), and a call of the app must not fail because of a number.
 */
export type StreamUsage = "ask" | "leave" | "unknown";

/**
 * Hosts that are known to accept `stream_options`. Clouds with models of many vendors (Bedrock, GitHub, Hugging Face,
 * NVIDIA, Azure's `services.ai`) are missing, because some of their models reject it.
 */
const ACCEPT_STREAM_OPTIONS = [
  "api.openai.com",
  "api.anthropic.com",
  "googleapis.com",
  "api.moonshot.ai",
  "api.moonshot.cn",
  "aliyuncs.com",
  "ollama.com",
];

/** Azure's hosts of OpenAI's models. Whether they accept the field depends on the API version. */
const AZURE_OPENAI = ["openai.azure.com", "cognitiveservices.azure.com"];

/** Ollama, LM Studio, llama.cpp, vLLM, SGLang, LiteLLM and LocalAI accept the field, or ignore fields that they do not know. */
const SAME_MACHINE = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "host.docker.internal"];

const ALWAYS_SEND_USAGE = new Set([
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

/**
 * Prepares a streaming request so that the stream has token counts, if the server is known to accept that.
 *
 * @param includeUsage - true asks every server, false asks none. Default: depends on the server.
 */
export function prepareUsage(
  client: object,
  request: unknown,
  includeUsage: boolean | undefined,
): PreparedStream {
  // The app decided itself.
  if (field(field(request, "stream_options"), "include_usage") !== undefined) return { settings: {} };
  const usage = includeUsage === undefined ? streamUsageOf(client) : includeUsage ? "ask" : "leave";
  if (usage === "unknown") return { settings: { missingUsageWarning: missingUsageWarning(client) } };
  if (usage === "leave") return { settings: {} };
  return { request: withUsage(request as object), settings: { isHiddenChunk: isUsageChunk } };
}

/** A copy of the request that asks for token counts. The app's request stays unchanged. */
function withUsage(request: object): object {
  const streamOptions = { ...(field(request, "stream_options") as object | undefined), include_usage: true };
  return Object.create(Object.getPrototypeOf(request) as object | null, {
    ...Object.getOwnPropertyDescriptors(request),
    stream_options: { value: streamOptions, enumerable: true, configurable: true, writable: true },
  }) as object;
}

/** True for the last chunk of a stream with token counts: it has no choices. */
function isUsageChunk(chunk: unknown): boolean {
  const choices = field(chunk, "choices");
  return (
    Array.isArray(choices) &&
    elementsOf(choices).length === 0 &&
    fieldsOf(field(chunk, "usage")) !== undefined
  );
}

/** Whether the server of a client is asked for token counts. */
export function streamUsageOf(client: unknown): StreamUsage {
  const url = addressOf(client);
  const isHost = (hosts: readonly string[]): boolean =>
    url !== undefined && hosts.some((host) => isOfHost(url, host));
  if (isAzureClient(client) || isHost(AZURE_OPENAI)) {
    return azureStreamUsage(client, url);
  }
  if (isHost(ACCEPT_STREAM_OPTIONS) || isHost(SAME_MACHINE)) return "ask";
  return ALWAYS_SEND_USAGE.has(providerOf(client, "openai")) ? "leave" : "unknown";
}

/** Azure accepts `stream_options` since 2024-09-01-preview. The address of the v1 API has no version. */
function azureStreamUsage(client: unknown, url: URL | undefined): StreamUsage {
  const query = member(member(client, "_options"), "defaultQuery");
  const version = textOf(member(client, "apiVersion")) ?? textOf(field(query, "api-version"));
  if (version === undefined) return url?.pathname.startsWith("/openai/v1") === true ? "ask" : "unknown";
  return /^\d{4}-\d\d-\d\d/.test(version) && version < "2024-09-01" ? "leave" : "ask";
}

function missingUsageWarning(client: unknown): string {
  const host = addressOf(client)?.host ?? "this server";
  return (
    `Streams of ${host} have no token counts. ` +
    "If the server supports stream_options.include_usage, set wrapOpenAI(client, { includeUsage: true })."
  );
}
