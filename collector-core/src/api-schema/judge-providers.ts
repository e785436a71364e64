/** Settings of a judge provider (contract 8). */
export interface JudgeProvider {
  /** The judge model unless `evaluation.judge_model` is set. Undefined if the option is required. */
  readonly defaultModel: string | undefined;
  /** False for a local server, or if the identity of the platform authenticates. */
  readonly needsKey: boolean;
  /** True if the address has no default. */
  readonly needsBaseUrl: boolean;
}

/** Judge providers by name. */
export const JUDGE_PROVIDERS = {
  openai: { defaultModel: "gpt-6-luna", needsKey: true, needsBaseUrl: false },
  anthropic: { defaultModel: "claude-haiku-4-5", needsKey: true, needsBaseUrl: false },
  google: { defaultModel: "gemini-3.5-flash-lite", needsKey: true, needsBaseUrl: false },
  /** The model is the name of a deployment. */
  azure: { defaultModel: undefined, needsKey: true, needsBaseUrl: true },
  /** Authenticates by the identity of the platform: environment, profile, container, machine. */
  bedrock: { defaultModel: "us.amazon.nova-lite-v1:0", needsKey: false, needsBaseUrl: false },
  mistral: { defaultModel: "mistral-small-latest", needsKey: true, needsBaseUrl: false },
  groq: { defaultModel: "openai/gpt-oss-20b", needsKey: true, needsBaseUrl: false },
  ollama: { defaultModel: "qwen3:4b", needsKey: false, needsBaseUrl: false },
  /** Many such servers run locally without a key. */
  "openai-compatible": { defaultModel: undefined, needsKey: false, needsBaseUrl: true },
} as const satisfies Record<string, JudgeProvider>;

/** One of {@link JUDGE_PROVIDERS}. */
export type JudgeProviderName = keyof typeof JUDGE_PROVIDERS;

/** Names of the providers, the default first. */
export const JUDGE_PROVIDER_NAMES = Object.keys(JUDGE_PROVIDERS) as JudgeProviderName[];
