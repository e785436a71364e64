import OpenAI, { AzureOpenAI } from "openai";
import { expect, it } from "vitest";
import { providerOf } from "../../../src/integrations/model-client/provider.js";

it.each([
  ["https://api.openai.com/v1", "openai"],
  ["https://eu.api.openai.com/v1", "openai"],
  ["https://my-resource.openai.azure.com/openai/v1/", "azure"],
  ["https://my-resource.services.ai.azure.com/models", "azure"],
  ["https://api.groq.com/openai/v1", "groq"],
  ["https://api.deepseek.com", "deepseek"],
  ["https://api.mistral.ai/v1", "mistral"],
  ["https://openrouter.ai/api/v1", "openrouter"],
  ["https://api.together.xyz/v1", "together"],
  ["https://api.x.ai/v1", "xai"],
  ["https://generativelanguage.googleapis.com/v1beta/openai/", "google"],
  ["https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1", "bedrock"],
  ["http://localhost:11434/v1", "ollama"],
  ["http://127.0.0.1:1234/v1", "lmstudio"],
  ["https://gateway.example.com/v1", "openai"],
  ["https://notapi.groq.com.example.com/v1", "openai"],
])("the provider of %s is %s", (baseURL, provider) => {
  expect(providerOf(new OpenAI({ apiKey: "k", baseURL }), "openai")).toBe(provider);
});

it("the provider of an AzureOpenAI client is azure, whatever its address", () => {
  const client = new AzureOpenAI({
    apiKey: "k",
    baseURL: "https://gateway.example.com",
    apiVersion: "2025-01-01",
  });
  expect(providerOf(client, "openai")).toBe("azure");
});

it.each([{}, { baseURL: "no address" }, { baseURL: 7 }, null, undefined])(
  "the provider of the client %j is openai",
  (client) => {
    expect(providerOf(client, "openai")).toBe("openai");
  },
);

it.each([
  ["https://api.anthropic.com", "anthropic"],
  ["https://bedrock-runtime.eu-west-1.amazonaws.com", "bedrock"],
  ["https://us-east5-aiplatform.googleapis.com/v1", "google"],
  ["https://my-resource.services.ai.azure.com/anthropic/", "azure"],
  ["https://gateway.example.com", "anthropic"],
])("the provider of an Anthropic client of %s is %s", (baseURL, provider) => {
  expect(providerOf({ baseURL }, "anthropic")).toBe(provider);
});
