import { copyText } from "../../span/kept-text.js";

/** Providers by prefixes of their names in libraries; a longer prefix precedes its own prefix. */
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

/** Normalized names, which most libraries use too. */
const NORMAL: ReadonlySet<string> = new Set(PREFIXES.map(([, provider]) => provider));

/** Suffix of the AI SDK after the provider: the kind of its API. */
const API_KIND =
  /\.(?:chat|completions?|responses|messages|embeddings?|text-?embedding|image|speech|transcription|generative-ai|reranking)$/;

/** Normalizes the name of a provider (contract 6). */
export function normalizeProvider(name: string): string {
  if (NORMAL.has(name)) return name;
  const lower = name.trim().toLowerCase();
  for (const [prefix, provider] of PREFIXES) {
    if (lower.startsWith(prefix)) return provider;
  }
  return copyText(lower.replace(API_KIND, ""));
}
