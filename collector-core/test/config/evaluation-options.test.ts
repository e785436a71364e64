import { describe, expect, it } from "vitest";
import { JUDGE_PROVIDERS } from "../../src/api-schema/judge-providers.js";
import { describeConfig } from "../../src/config/describe-config.js";
import { load, problems } from "./loading.js";

const judged = (provider: string, more: Record<string, string> = {}) => ({
  OBS_SERVER_EVALUATION_ENABLED: "true",
  OBS_SERVER_EVALUATION_JUDGE_PROVIDER: provider,
  ...more,
});
const KEY = { OBS_SERVER_EVALUATION_JUDGE_API_KEY: "sk-secret" };

describe("contract 5: evaluation needs a judge", () => {
  it("prevents the start without a key for a provider that requires one, and names the variable", () => {
    expect(problems({ env: { OBS_SERVER_EVALUATION_ENABLED: "true" } })).toEqual([
      "evaluation.judge_api_key = unset (default): must be set by OBS_SERVER_EVALUATION_JUDGE_API_KEY when " +
        "evaluation.judge_provider = openai (default) and evaluation.enabled = true (OBS_SERVER_EVALUATION_ENABLED)",
    ]);
  });

  it.each(["openai", "anthropic", "google", "mistral", "groq"])("%s requires a key", (provider) => {
    expect(problems({ env: judged(provider) })).toHaveLength(1);
    expect(problems({ env: judged(provider, KEY) })).toEqual([]);
  });

  it.each(["ollama", "bedrock"])("%s requires no key", (provider) => {
    expect(problems({ env: judged(provider) })).toEqual([]);
  });

  it("azure also requires a base URL and the name of a deployment", () => {
    const found = problems({ env: judged("azure") });
    expect(found.map((line) => line.split(" ", 1)[0])).toEqual([
      "evaluation.judge_api_key",
      "evaluation.judge_base_url",
      "evaluation.judge_model",
    ]);
  });

  it("openai-compatible requires a base URL and a model, but no key", () => {
    const rest = {
      OBS_SERVER_EVALUATION_JUDGE_BASE_URL: "http://127.0.0.1:8000/v1",
      OBS_SERVER_EVALUATION_JUDGE_MODEL: "local",
    };
    expect(problems({ env: judged("openai-compatible") })).toHaveLength(2);
    expect(problems({ env: judged("openai-compatible", rest) })).toEqual([]);
  });

  it("requires nothing of the judge if evaluation is disabled", () => {
    expect(problems({ env: { OBS_SERVER_EVALUATION_JUDGE_PROVIDER: "azure" } })).toEqual([]);
  });
});

it("refuses the name of a model, a path and an address that are too long", () => {
  const found = problems({
    env: {
      OBS_SERVER_EVALUATION_JUDGE_MODEL: "m".repeat(257),
      OBS_SERVER_PRICING_FILE: "p".repeat(4097),
      OBS_SERVER_EXPORTER_OTLP_ENDPOINT: `http://a/${"b".repeat(4096)}`,
    },
  });
  expect(found.map((line) => line.split(" ", 1)[0])).toEqual([
    "exporter.otlp_endpoint",
    "pricing.file",
    "evaluation.judge_model",
  ]);
  expect(found[1]).toContain("it has more than 4,096 characters");
  expect(problems({ env: { OBS_SERVER_EVALUATION_JUDGE_MODEL: "m".repeat(256) } })).toEqual([]);
});

it("the default model of the judge is the small model of its provider", () => {
  for (const [provider, { defaultModel }] of Object.entries(JUDGE_PROVIDERS)) {
    if (defaultModel === undefined) continue;
    const loaded = load({ env: judged(provider, KEY) });
    expect(loaded.config["evaluation.judge_model"]).toBe(defaultModel);
    expect(loaded.sources["evaluation.judge_model"]).toBe("default");
  }
});

it("the key of the judge is never shown", () => {
  const loaded = load({ env: judged("openai", KEY) });
  expect(JSON.stringify(describeConfig(loaded))).not.toContain("sk-secret");
  expect(describeConfig(loaded).config["evaluation.judge_api_key"]?.value).toBe("***");
  expect(problems({ env: judged("openai", { OBS_SERVER_EVALUATION_JUDGE_API_KEY: "a b c" }) })[0]).toContain(
    "evaluation.judge_api_key = *** (OBS_SERVER_EVALUATION_JUDGE_API_KEY): must be ",
  );
});

it("key and base URL of the judge can only be set by the environment", () => {
  const yaml = "evaluation:\n  judge_api_key: sk-in-a-file\n  judge_base_url: http://x\n";
  expect(load({ yaml }).warnings).toEqual([
    "evaluation.judge_api_key (obspan.yaml:2) is ignored: set OBS_SERVER_EVALUATION_JUDGE_API_KEY instead",
    "evaluation.judge_base_url (obspan.yaml:3) is ignored: set OBS_SERVER_EVALUATION_JUDGE_BASE_URL instead",
  ]);
});

describe("contract 5: evaluation.types", () => {
  const yaml = `
evaluation:
  types:
    tone:
      prompt: |
        Is {{completion}} friendly?
      direction: maximize
      labels: [cold, warm]
`;

  it("are read from YAML and from JSON in the variable", () => {
    const tone = { prompt: "Is {{completion}} friendly?\n", direction: "maximize", labels: ["cold", "warm"] };
    expect(load({ yaml }).config["evaluation.types"]).toEqual({ tone });
    const env = { OBS_SERVER_EVALUATION_TYPES_JSON: JSON.stringify({ tone }) };
    expect(load({ env }).config["evaluation.types"]).toEqual({ tone });
  });

  it.each([
    ["no JSON", "must be an object of types by name"],
    ['{"tone":{}}', 'type "tone": prompt must be a string'],
    ['{"tone":{"prompt":" "}}', 'type "tone": prompt must be a string'],
    ['{"tone":{"prompt":"x","direction":"up"}}', "direction must be one of maximize, minimize, neutral"],
    ['{"tone":{"prompt":"x","labels":[""]}}', "labels must be a list of at most 20 strings"],
    ['{"tone":{"prompt":"x","lables":[]}}', 'the key "lables" is unknown'],
    ['{"a:b":{"prompt":"x"}}', "the name must be a letter and up to 63"],
    ['{"regex":{"prompt":"x"}}', "a built-in type that uses no judge has this name"],
  ])("rejects %s", (json, problem) => {
    const found = problems({ env: { OBS_SERVER_EVALUATION_TYPES_JSON: json } });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(problem);
  });

  it("report one problem per invalid type", () => {
    const json = JSON.stringify({ one: {}, two: { prompt: "x" }, three: 3 });
    expect(problems({ env: { OBS_SERVER_EVALUATION_TYPES_JSON: json } })).toHaveLength(2);
  });
});

describe("contract 5: evaluation.thresholds", () => {
  it("are read from YAML and as a map from the variable", () => {
    const expected = { relevance: 0.8, toxicity: 0.1 };
    const yaml = "evaluation: { thresholds: { relevance: 0.8, toxicity: 0.1 } }";
    expect(load({ yaml }).config["evaluation.thresholds"]).toEqual(expected);
    const env = { OBS_SERVER_EVALUATION_THRESHOLDS: "relevance=0.8, toxicity=0.1" };
    expect(load({ env }).config["evaluation.thresholds"]).toEqual(expected);
  });

  it.each(["relevance", "relevance=2", "relevance=high", "=0.5"])("rejects %s", (text) => {
    expect(problems({ env: { OBS_SERVER_EVALUATION_THRESHOLDS: text } })).toHaveLength(1);
  });
});
