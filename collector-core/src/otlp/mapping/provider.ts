import { copyText } from "../../span/kept-text.js";

/** Providers by the beginnings of the names that libraries give them; the longest first where one begins another. */
const PREFIXES: readonly (readonly [prefix: string, provider: string])[] = [
  ["azure", "azure"],
  ["az.ai", "azure"],
  ["aws", "bedrock"],
  ["amazon", "bedrock"],
  ["bedrock", "bedrock"],
  ["gcp", "google"],
  ["google", "google"],
  ["gemini", "google"],
  ["vertex", "google"],
  ["openai-compatible", "openai-compatible"],
  ["openai", "openai"],
  ["anthropic", "anthropic"],
  ["mistral", "mistral"],
  ["x_ai", "xai"],
  ["x-ai", "xai"],
  ["xai", "xai"],
  ["ibm.watsonx", "watsonx"],
  ["watsonx", "watsonx"],
  ["moonshot", "moonshot"],
  ["huggingface", "huggingface"],
  ["hugging_face", "huggingface"],
  ["together", "together"],
  ["fireworks", "fireworks"],
  ["ollama", "ollama"],
];

/** The names that they are given here, which most libraries use too. */
const NORMAL: ReadonlySet<string> = new Set(PREFIXES.map(([, provider]) => provider));

/** What the AI SDK writes behind the provider: the kind of its interface. */
const API_KIND =
  /\.(?:chat|completions?|responses|messages|embeddings?|text-?embedding|image|speech|transcription|generative-ai|reranking)$/;

/** One name for a provider, whatever library named it (contract 6). */
export function normalizeProvider(name: string): string {
  if (NORMAL.has(name)) return name;
  const lower = name.trim().toLowerCase();
  for (const [prefix, provider] of PREFIXES) {
    if (lower.startsWith(prefix)) return provider;
  }
  return copyText(lower.replace(API_KIND, ""));
}
