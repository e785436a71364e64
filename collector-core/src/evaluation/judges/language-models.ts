import type { generateText, LanguageModel } from "ai";
import type { JudgeProviderName } from "../../api-schema/judge-providers.js";
import { boundedFetch } from "./bounded-fetch.js";

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]["providerOptions"]>;

/** Model and provider settings of the judge. */
export interface JudgeModelConfig {
  readonly provider: JudgeProviderName;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
}

/** A model with the settings of its provider. */
export interface JudgeModel {
  readonly model: Exclude<LanguageModel, string>;
  /** Undefined for providers with models that refuse a temperature. */
  readonly temperature: number | undefined;
  /** @param length - length of the request in characters. */
  readonly providerOptions: (length: number) => ProviderOptions;
}

/** Maximum output of the judge, including reasoning. */
export const MAX_OUTPUT_TOKENS = 2048;

/** Opens the model. Loads only the package of the configured provider. */
export async function openJudgeModel(config: JudgeModelConfig): Promise<JudgeModel> {
  const { provider, model, apiKey, baseUrl } = config;
  const settings = {
    fetch: boundedFetch,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl.replace(/(?<!\/)\/+$/, "") }),
  };
  switch (provider) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      const openai = createOpenAI(settings);
      // Compatible servers at other addresses implement the chat API.
      return judgeModel(baseUrl === undefined ? openai.responses(model) : openai.chat(model), OPENAI);
    }
    case "azure": {
      const { createAzure } = await import("@ai-sdk/azure");
      return judgeModel(createAzure(settings).chat(model), OPENAI);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return judgeModel(createAnthropic(settings)(model));
    }
    case "google": {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return judgeModel(createGoogleGenerativeAI(settings)(model));
    }
    case "bedrock": {
      const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
      if (apiKey !== undefined) return judgeModel(createAmazonBedrock(settings)(model));
      // Credentials from environment, profile, web identity, container or instance.
      const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
      return judgeModel(createAmazonBedrock({ ...settings, credentialProvider: defaultProvider() })(model));
    }
    case "mistral": {
      const { createMistral } = await import("@ai-sdk/mistral");
      return judgeModel(createMistral(settings)(model), undefined, 0);
    }
    case "groq": {
      const { createGroq } = await import("@ai-sdk/groq");
      return judgeModel(createGroq(settings)(model), undefined, 0);
    }
    case "ollama": {
      const { createOllama } = await import("ollama-ai-provider-v2");
      const ollama = createOllama({
        baseURL: ollamaApi(baseUrl),
        fetch: boundedFetch,
        ...(apiKey === undefined ? {} : { headers: { Authorization: `Bearer ${apiKey}` } }),
      });
      return judgeModel(ollama(model), ollamaOptions, 0);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const { baseURL = "", ...rest } = settings;
      const server = createOpenAICompatible({
        ...rest,
        baseURL,
        name: "openai-compatible",
        supportsStructuredOutputs: true,
      });
      return judgeModel(server(model), undefined, 0);
    }
  }
}

function judgeModel(
  model: JudgeModel["model"],
  providerOptions: JudgeModel["providerOptions"] = () => ({}),
  temperature?: number,
): JudgeModel {
  return { model, providerOptions, temperature };
}

/** A verdict needs little reasoning, and OpenAI must not store the evaluated text. */
const OPENAI = (): ProviderOptions => ({ openai: { reasoningEffort: "low", store: false } });

/** Base URL of Ollama's native API. Its OpenAI-compatible API cannot set the context size. */
function ollamaApi(baseUrl = "http://127.0.0.1:11434"): string {
  return `${baseUrl.replace(/(?<!\/)\/+$/, "").replace(/\/(api|v1)$/, "")}/api`;
}

const CHARACTERS_PER_TOKEN = 3;
const MIN_CONTEXT_TOKENS = 8192;
const MAX_CONTEXT_TOKENS = 65_536;

/**
 * Sets a context size that fits the request: Ollama reads 4,096 tokens by default and truncates the rest silently.
 * The size is a power of two, because every new size reloads the model.
 */
function ollamaOptions(length: number): ProviderOptions {
  const needed = length / CHARACTERS_PER_TOKEN + MAX_OUTPUT_TOKENS;
  let contextTokens = MIN_CONTEXT_TOKENS;
  while (contextTokens < needed && contextTokens < MAX_CONTEXT_TOKENS) contextTokens *= 2;
  return { ollama: { options: { num_ctx: contextTokens, num_predict: MAX_OUTPUT_TOKENS, temperature: 0 } } };
}
