/** The context windows of one provider's models, in tokens. */
interface ProviderWindows {
  readonly provider: string;
  /** Where the windows are from. */
  readonly source: string;
  /** The day of the windows. */
  readonly asOf: string;
  /** Models by their window. The names are those of the price list. */
  readonly models: Readonly<Record<number, readonly string[]>>;
}

const SOURCE = "https://github.com/pydantic/genai-prices/tree/main/prices/providers";
const SEPTEMBER = "2026-09-23";

/**
 * The tokens that a call of a model may have, input and output together, without options that extend them. They are those of
 * `@pydantic/genai-prices` 0.1.8 (MIT) for models that it lists by their own name, unless the provider documents another number. A model
 * that is not listed has no known window.
 */
export const CONTEXT_WINDOWS: readonly ProviderWindows[] = [
  {
    provider: "openai",
    source: SOURCE,
    asOf: SEPTEMBER,
    models: {
      8192: ["gpt-4", "gpt-4-0314", "gpt-4-0613"],
      16_385: [
        "gpt-3.5-turbo",
        "gpt-3.5-turbo-0125",
        "gpt-3.5-turbo-1106",
        "gpt-3.5-turbo-16k",
        "gpt-35-turbo",
      ],
      128_000: [
        ...["gpt-4-turbo", "gpt-4-0125-preview", "gpt-4-1106-preview", "gpt-4-vision-preview", "gpt-4o"],
        ...["gpt-4o-2024-05-13", "chatgpt-4o-latest", "gpt-4o-mini", "o1-mini", "o1-preview"],
      ],
      200_000: [
        "o1",
        "o1-pro",
        "o3",
        "o3-deep-research",
        "o3-mini",
        "o3-pro",
        "o4-mini",
        "o4-mini-deep-research",
      ],
      400_000: [
        ...["gpt-5", "gpt-5-codex", "gpt-5-mini", "gpt-5-nano", "gpt-5-pro", "gpt-5.1", "gpt-5.1-codex-mini"],
        ...["gpt-5.2", "gpt-5.2-pro", "gpt-5.3-codex", "gpt-5.4-mini", "gpt-5.4-nano"],
      ],
      1_047_576: ["gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano"],
      1_050_000: [
        ...["gpt-5.4", "gpt-5.4-pro", "gpt-5.6-luna", "gpt-5.6-sol", "gpt-5.6-terra"],
        ...["gpt-6-astra", "gpt-6-luna", "gpt-6-sol"],
      ],
    },
  },
  {
    provider: "anthropic",
    source: SOURCE,
    asOf: SEPTEMBER,
    models: {
      200_000: [
        ...["claude-2.1", "claude-3-haiku", "claude-3-sonnet", "claude-3-opus", "claude-3-5-haiku"],
        ...[
          "claude-3-5-sonnet",
          "claude-3-7-sonnet",
          "claude-haiku-4-5",
          "claude-sonnet-4",
          "claude-sonnet-4-0",
        ],
        ...["claude-sonnet-4-5", "claude-opus-4", "claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-5"],
      ],
      1_000_000: [
        ...["claude-sonnet-4-6", "claude-sonnet-5", "claude-opus-4-6", "claude-opus-4-7", "claude-opus-4-8"],
        ...["claude-opus-5", "claude-opus-5-5", "claude-fable-5", "claude-fable-5-1"],
      ],
    },
  },
  {
    provider: "google",
    source: "https://ai.google.dev/gemini-api/docs/models",
    asOf: SEPTEMBER,
    models: {
      1_048_576: [
        ...["gemini-1.5-flash", "gemini-1.5-flash-8b", "gemini-2.0-flash", "gemini-2.0-flash-001"],
        ...["gemini-2.0-flash-lite", "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro"],
      ],
      2_097_152: ["gemini-1.5-pro"],
    },
  },
  {
    provider: "google",
    source: SOURCE,
    asOf: SEPTEMBER,
    models: {
      1_000_000: [
        ...["gemini-3-flash-preview", "gemini-3.1-flash-lite", "gemini-3.5-flash", "gemini-3.5-flash-lite"],
        ...["gemini-3.6-flash", "gemini-3.7-flash", "gemini-3.8-flash"],
      ],
    },
  },
  {
    provider: "mistral",
    source: SOURCE,
    asOf: SEPTEMBER,
    models: {
      131_072: ["ministral-3b-2512"],
      256_000: ["codestral-2508"],
      262_144: [
        ...["mistral-small-2603", "mistral-medium-3-5", "mistral-medium-3.5", "mistral-large-2512"],
        ...["ministral-8b-2512", "ministral-14b-2512", "devstral-2512"],
      ],
    },
  },
  {
    provider: "deepseek",
    source: SOURCE,
    asOf: SEPTEMBER,
    models: { 1_000_000: ["deepseek-v4-flash", "deepseek-v4-pro"] },
  },
  {
    provider: "xai",
    source: SOURCE,
    asOf: SEPTEMBER,
    models: {
      131_072: ["grok-3", "grok-3-fast", "grok-3-mini", "grok-3-mini-fast"],
      256_000: ["grok-4", "grok-4-0709", "grok-code-fast-1"],
      500_000: ["grok-4.5", "grok-4.6"],
      1_000_000: ["grok-4.20", "grok-4.3"],
      2_000_000: [
        ...["grok-4-fast", "grok-4-fast-reasoning", "grok-4-fast-non-reasoning"],
        ...["grok-4-1-fast", "grok-4-1-fast-reasoning", "grok-4-1-fast-non-reasoning"],
      ],
    },
  },
  {
    provider: "groq",
    source: "https://console.groq.com/docs/models",
    asOf: SEPTEMBER,
    models: {
      8192: ["llama3-8b-8192", "llama3-70b-8192"],
      32_768: ["mixtral-8x7b-32768"],
      131_072: [
        ...["llama-3.1-8b-instant", "llama-3.3-70b-versatile"],
        ...["openai/gpt-oss-120b", "openai/gpt-oss-20b"],
      ],
    },
  },
  {
    provider: "bedrock",
    source: SOURCE,
    asOf: SEPTEMBER,
    models: {
      128_000: ["*amazon.nova-micro-v1*"],
      300_000: ["*amazon.nova-lite-v1*", "*amazon.nova-pro-v1*"],
      1_000_000: ["*amazon.nova-premier-v1*"],
    },
  },
];

/** The window of a model of a provider; undefined if it is not known. */
export function contextWindowOf(provider: string, model: string): number | undefined {
  const windows = CONTEXT_WINDOWS.filter((each) => each.provider === provider);
  const [window] = windows
    .flatMap(({ models }) => Object.entries(models))
    .find(([, names]) => names.includes(model)) ?? [undefined];
  return window === undefined ? undefined : Number(window);
}
