import { field, textOf } from "../json-fields.js";

/**
 * Who answers, by the end of the host's name. A client of this protocol talks to many; the names are those of the
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

/** Servers on the developer's own machine, by the port that they take by default. */
const LOCAL_PORTS: Readonly<Record<string, string>> = { "11434": "ollama", "1234": "lmstudio" };

/** Whom an OpenAI client talks to; `openai` for a host that is not known: a proxy, a gateway, an own server. */
export function providerOf(client: unknown): string {
  // AzureOpenAI: recognised by its fields, for nothing of the package may be imported at run time.
  if (typeof field(client, "apiVersion") === "string" && isInstanceOf(client, "AzureOpenAI")) return "azure";
  const url = urlOf(field(client, "baseURL"));
  if (url === undefined) return "openai";
  const known = HOSTS.find(([suffix]) => url.hostname === suffix || url.hostname.endsWith(`.${suffix}`));
  return known?.[1] ?? LOCAL_PORTS[url.port] ?? "openai";
}

/**
 * True where `stream_options` may be added to a request. Some servers refuse fields that they do not know, and they send
 * the usage unasked; so does everyone whose answer must not be put at risk for a number that comes anyway.
 */
export function takesStreamOptions(client: unknown): boolean {
  const provider = providerOf(client);
  if (provider === "azure") return azureTakesStreamOptions(textOf(field(client, "apiVersion")));
  return !SENDS_USAGE_UNASKED.has(provider);
}

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

/** Azure knows `stream_options` since 2024-09-01-preview; the v1 API has no version in its address. */
function azureTakesStreamOptions(apiVersion: string | undefined): boolean {
  if (apiVersion === undefined) return true;
  return !/^\d{4}-\d\d-\d\d/.test(apiVersion) || apiVersion >= "2024-09-01";
}

function isInstanceOf(value: unknown, className: string): boolean {
  for (let proto: unknown = value; typeof proto === "object" && proto !== null;) {
    proto = Object.getPrototypeOf(proto) as unknown;
    if (field(field(proto, "constructor"), "name") === className) return true;
  }
  return false;
}

function urlOf(text: unknown): URL | undefined {
  if (typeof text !== "string") return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
