import { field } from "../json-fields.js";

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
  if (isAzureClient(client)) return "azure";
  const url = addressOf(client);
  if (url === undefined) return "openai";
  const known = HOSTS.find(([suffix]) => isOfHost(url, suffix));
  return known?.[1] ?? LOCAL_PORTS[url.port] ?? "openai";
}

/** AzureOpenAI: recognised by its fields, for nothing of the package may be imported at run time. */
export function isAzureClient(client: unknown): boolean {
  return typeof field(client, "apiVersion") === "string" && isInstanceOf(client, "AzureOpenAI");
}

/** The address that a client sends its requests to. */
export function addressOf(client: unknown): URL | undefined {
  const text = field(client, "baseURL");
  if (typeof text !== "string") return undefined;
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** True for the host itself, and for those below it. */
export function isOfHost({ hostname }: URL, host: string): boolean {
  return hostname === host || hostname.endsWith(`.${host}`);
}

function isInstanceOf(value: unknown, className: string): boolean {
  for (let proto: unknown = value; typeof proto === "object" && proto !== null;) {
    proto = Object.getPrototypeOf(proto) as unknown;
    if (field(field(proto, "constructor"), "name") === className) return true;
  }
  return false;
}
