import { costUsd, createPriceList, PRICES } from "@obspan/sdk/prices";
import type { LoadedConfig } from "../config/load-config.js";
import type { Judge } from "../evaluation/judges/judge.js";
import { createModelJudge } from "../evaluation/judges/model-judge.js";
import { ownPrices } from "./pricing.js";

/** Creates the judge configured by `evaluation.judge_*`, with the prices of `pricing.file` or the package's own table. */
export function createConfiguredJudge(config: LoadedConfig["config"]): Promise<Judge> {
  const prices = createPriceList(ownPrices(config) ?? PRICES.default);
  return createModelJudge({
    provider: config["evaluation.judge_provider"],
    model: config["evaluation.judge_model"],
    apiKey: config["evaluation.judge_api_key"],
    baseUrl: config["evaluation.judge_base_url"],
    priceOf(model, tokens) {
      const price = prices.find(model);
      return price && costUsd(price, tokens);
    },
  });
}
