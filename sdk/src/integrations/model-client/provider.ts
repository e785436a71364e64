import { member } from "../json-fields.js";

/**
 * Providers by the end of the host name. A client of OpenAI or Anthropic can talk to any of them. The names are those of the
 * collector's labels (contract 6).
 */
const HOSTS: readonly (readonly [suffix: string, provider: string])[] = [
  ["openai.azure.com", "azure"],
  ["ai.azure.com", "azure"],
  ["cognitiveservices.azure.com", "azure"],
  ["api.openai.com", "openai"],
  ["api.groq.com", "groq"],
  ["api.deepseek.com", "deepseek"],
  ["api.mistral.ai", "mistral"],
  ["openrouter.ai", "openrouter"],
  ["api.together.xyz", "together"],
  ["api.together.ai", "together"],
  ["api.x.ai", "xai"],
  ["api.anthropic.com", "anthropic"],
  ["googleapis.com", "google"],
  ["amazonaws.com", "bedrock"],
  ["api.aws", "bedrock"],
  ["api.fireworks.ai", "fireworks"],
  ["api.perplexity.ai", "perplexity"],
  ["api.cerebras.ai", "cerebras"],
  ["api.cohere.ai", "cohere"],
  ["api.cohere.com", "cohere"],
  ["api.voyageai.com", "voyage"],
  ["api.moonshot.ai", "moonshot"],
  ["api.moonshot.cn", "moonshot"],
  ["aliyuncs.com", "alibaba"],
  ["router.huggingface.co", "huggingface"],
  ["api.nvidia.com", "nvidia"],
  ["models.github.ai", "github"],
  ["ollama.com", "ollama"],
];

/** Local servers by their default port. */
const LOCAL_PORTS: Readonly<Record<string, string>> = { "11434": "ollama", "1234": "lmstudio" };

/** The provider that a client talks to; the vendor of the client for an unknown host, such as a proxy or a gateway. */
export function providerOf(client: unknown, vendor: string): string {
  if (isAzureClient(client)) return "azure";
  const url = addressOf(client);
  if (url === undefined) return vendor;
  return providerAt(url) ?? LOCAL_PORTS[url.port] ?? vendor;
}

/** The provider at an address; undefined for an unknown host. */
export function providerAt(url: URL): string | undefined {
  return HOSTS.find(([suffix]) => isOfHost(url, suffix))?.[1];
}

/** The provider that listens on a port of this machine by default. */
export function localProviderAt({ hostname, port }: URL): string | undefined {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) ? LOCAL_PORTS[port] : undefined;
}

/** True for `AzureOpenAI`. It is recognised by its fields and class name: the package must not be imported. */
export function isAzureClient(client: unknown): boolean {
  return typeof member(client, "apiVersion") === "string" && isInstanceOf(client, "AzureOpenAI");
}

/** The base URL of a client. */
export function addressOf(client: unknown): URL | undefined {
  const text = member(client, "baseURL");
  if (typeof text !== "string") return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** True for the host itself and its subdomains. */
export function isOfHost({ hostname }: URL, host: string): boolean {
  return hostname === host || hostname.endsWith(`.${host}`);
}

function isInstanceOf(value: unknown, className: string): boolean {
  for (let proto: unknown = value; typeof proto === "object" && proto !== null;) {
    proto = Object.getPrototypeOf(proto) as unknown;
    if (member(member(proto, "constructor"), "name") === className) return true;
  }
  return false;
}
