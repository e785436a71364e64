import OpenAI, { AzureOpenAI } from "openai";
import { expect, it } from "vitest";
import { streamUsageOf } from "../../../src/integrations/openai/stream-usage.js";

it.each([
  ["https://api.openai.com/v1", "ask"],
  ["https://eu.api.openai.com/v1", "ask"],
  ["https://api.anthropic.com/v1/", "ask"],
  ["https://generativelanguage.googleapis.com/v1beta/openai/", "ask"],
  ["https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "ask"],
  ["https://api.moonshot.ai/v1", "ask"],
  ["http://localhost:11434/v1", "ask"],
  ["http://127.0.0.1:8000/v1", "ask"],
  ["http://[::1]:4000", "ask"],
  ["https://my.openai.azure.com/openai/v1/", "ask"],
  ["https://api.groq.com/openai/v1", "leave"],
  ["https://api.mistral.ai/v1", "leave"],
  ["https://openrouter.ai/api/v1", "leave"],
  ["https://my.cloud.databricks.com/serving-endpoints", "unknown"],
  ["https://my.openai.azure.com/openai/deployments/gpt", "unknown"],
  ["https://my.services.ai.azure.com/openai/v1", "unknown"],
  ["https://models.github.ai/inference", "unknown"],
  ["https://bedrock-runtime.us-west-2.amazonaws.com/openai/v1", "unknown"],
  ["https://gateway.example.com/v1", "unknown"],
  ["https://api.openai.com.example.com/v1", "unknown"],
])("the usage setting for a stream of %s is %s", (baseURL, usage) => {
  expect(streamUsageOf(new OpenAI({ apiKey: "k", baseURL }))).toBe(usage);
});

it.each([
  ["2024-02-01", "leave"],
  ["2024-08-01-preview", "leave"],
  ["2024-09-01-preview", "ask"],
  ["2025-04-01-preview", "ask"],
  ["preview", "ask"],
])("the usage setting for a stream of Azure's version %s is %s", (apiVersion, usage) => {
  const azure = new AzureOpenAI({ apiKey: "k", endpoint: "https://my.openai.azure.com", apiVersion });
  expect(streamUsageOf(azure)).toBe(usage);
  const plain = new OpenAI({
    apiKey: "k",
    baseURL: "https://my.openai.azure.com/openai/deployments/gpt",
    defaultQuery: { "api-version": apiVersion },
  });
  expect(streamUsageOf(plain)).toBe(usage);
});

it.each([{}, { baseURL: "no address" }, { baseURL: 7 }, null, undefined])(
  "the usage setting of the client %j is unknown",
  (client) => {
    expect(streamUsageOf(client)).toBe("unknown");
  },
);
