import { localProviderAt, providerAt } from "../model-client/provider.js";

/** The formats of requests, by the reader of `integrations/wire`. */
export type WireFormat =
  | "openai-chat"
  | "openai-responses"
  | "openai-completions"
  | "openai-embeddings"
  | "anthropic"
  | "bedrock-converse"
  | "bedrock-invoke"
  | "cohere-chat-v1"
  | "cohere-chat-v2"
  | "cohere-embed"
  | "cohere-rerank"
  | "gemini"
  | "gemini-embeddings"
  | "gemini-interactions"
  | "mistral-chat"
  | "mistral-fim"
  | "ollama-chat"
  | "ollama-generate"
  | "ollama-embed";

/** What the URL of a request says about it. */
export interface Endpoint {
  readonly provider: string;
  readonly format: WireFormat;
  /** What some providers have in the path, and the reader expects in the request. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  readonly isStream?: boolean | undefined;
}

type Path = readonly [pattern: RegExp, format: WireFormat];

/** Paths that every provider may have: most speak the protocol of OpenAI or Anthropic. */
const COMMON_PATHS: readonly Path[] = [
  [/\/chat\/completions$/, "openai-chat"],
  [/\/responses$/, "openai-responses"],
  [/\/completions$/, "openai-completions"],
  [/\/embeddings$/, "openai-embeddings"],
  [/\/v1\/messages$/, "anthropic"],
];

/** Paths of one provider, which come first. */
const PATHS: Readonly<Record<string, readonly Path[]>> = {
  cohere: [
    [/\/v1\/chat$/, "cohere-chat-v1"],
    [/\/v2\/chat$/, "cohere-chat-v2"],
    [/\/v[12]\/embed$/, "cohere-embed"],
    [/\/v[12]\/rerank$/, "cohere-rerank"],
  ],
  mistral: [
    [/\/v1\/(?:agents|chat)\/completions$/, "mistral-chat"],
    [/\/v1\/fim\/completions$/, "mistral-fim"],
  ],
  ollama: [
    [/\/api\/chat$/, "ollama-chat"],
    [/\/api\/generate$/, "ollama-generate"],
    [/\/api\/embed(?:dings)?$/, "ollama-embed"],
  ],
};

const GOOGLE_METHOD = /\/models\/([^/:]+):(\w+)$/;

/** Methods of Google's models. `rawPredict` is Anthropic on Vertex AI. */
const GOOGLE_METHODS: ReadonlyMap<string, PathInfo> = new Map<string, PathInfo>([
  ["generateContent", { format: "gemini" }],
  ["streamGenerateContent", { format: "gemini", isStream: true }],
  ["embedContent", { format: "gemini-embeddings" }],
  ["batchEmbedContents", { format: "gemini-embeddings" }],
  ["rawPredict", { format: "anthropic" }],
  ["streamRawPredict", { format: "anthropic", isStream: true }],
]);

const BEDROCK_METHOD = /\/model\/([^/]+)\/(converse|converse-stream|invoke|invoke-with-response-stream)$/;

type PathInfo = Omit<Endpoint, "provider">;

/**
 * Recognises a request to a model by its URL.
 *
 * @param hosts - further hosts of providers, such as gateways: `OBS_PROVIDER_HOSTS`.
 * @returns undefined for any other request.
 */
export function endpointOf(url: URL, hosts: readonly string[]): Endpoint | undefined {
  const provider =
    providerAt(url) ??
    localProviderAt(url) ??
    (hosts.includes(url.host) || hosts.includes(url.hostname) ? "gateway" : undefined);
  if (provider === undefined) return undefined;
  const { pathname } = url;
  const found =
    googleEndpoint(pathname, provider) ?? bedrockEndpoint(pathname) ?? pathEndpoint(pathname, provider);
  return found && { provider, ...found };
}

/** A gateway passes the requests of any provider on. */
const GATEWAY_PATHS = [...COMMON_PATHS, ...Object.values(PATHS).flat()];

function pathEndpoint(pathname: string, provider: string): PathInfo | undefined {
  const paths = provider === "gateway" ? GATEWAY_PATHS : [...(PATHS[provider] ?? []), ...COMMON_PATHS];
  const format = paths.find(([pattern]) => pattern.test(pathname))?.[1];
  return format && { format };
}

function googleEndpoint(pathname: string, provider: string): PathInfo | undefined {
  if (/^(?:google|gateway)$/.test(provider) && pathname.endsWith("/interactions"))
    return { format: "gemini-interactions" };
  const [, model = "", method = ""] = GOOGLE_METHOD.exec(pathname) ?? [];
  const found = GOOGLE_METHODS.get(method);
  return found && { ...found, fields: { model: decoded(model) } };
}

function bedrockEndpoint(pathname: string): PathInfo | undefined {
  const [, modelId = "", method] = BEDROCK_METHOD.exec(pathname) ?? [];
  if (method === undefined) return undefined;
  const format = method.startsWith("converse") ? "bedrock-converse" : "bedrock-invoke";
  return { format, isStream: method.endsWith("stream"), fields: { modelId: decoded(modelId) } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
