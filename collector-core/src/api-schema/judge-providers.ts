/** What the collector has to know of a provider of judges before it is called (contract 8). */
export interface JudgeProvider {
  /** Its small model: what judges unless `evaluation.judge_model` says otherwise. Undefined: it has to be set. */
  readonly defaultModel: string | undefined;
  /** False where it needs no key: a local server, or the platform's own identity. */
  readonly needsKey: boolean;
  /** True where nothing else says where it is. */
  readonly needsBaseUrl: boolean;
}

/** The providers of judges by name. */
export const JUDGE_PROVIDERS = {
  openai: { defaultModel: "gpt-6-luna", needsKey: true, needsBaseUrl: false },
  anthropic: { defaultModel: "claude-haiku-4-5", needsKey: true, needsBaseUrl: false },
  google: { defaultModel: "gemini-3.5-flash-lite", needsKey: true, needsBaseUrl: false },
  /** The model is the name of a deployment. */
  azure: { defaultModel: undefined, needsKey: true, needsBaseUrl: true },
  /** The identity of the platform: environment, profile, container, machine. */
  bedrock: { defaultModel: "us.amazon.nova-lite-v1:0", needsKey: false, needsBaseUrl: false },
  mistral: { defaultModel: "mistral-small-latest", needsKey: true, needsBaseUrl: false },
  groq: { defaultModel: "openai/gpt-oss-20b", needsKey: true, needsBaseUrl: false },
  ollama: { defaultModel: "qwen3:4b", needsKey: false, needsBaseUrl: false },
  /** Many such servers run locally and ask for no key. */
  "openai-compatible": { defaultModel: undefined, needsKey: false, needsBaseUrl: true },
} as const satisfies Record<string, JudgeProvider>;

/** One of {@link JUDGE_PROVIDERS}. */
export type JudgeProviderName = keyof typeof JUDGE_PROVIDERS;

/** Their names, the default first. */
export const JUDGE_PROVIDER_NAMES = Object.keys(JUDGE_PROVIDERS) as JudgeProviderName[];
