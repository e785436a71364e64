import type { LoadedConfig } from "../config/load-config.js";
import type { Judge } from "../evaluation/judges/judge.js";
import { createModelJudge } from "../evaluation/judges/model-judge.js";
import { loadModelPrices } from "./model-prices.js";
import { ownPrices } from "./pricing.js";

/** Creates the judge configured by `evaluation.judge_*`, with the prices of `pricing.file` or the package's own table. */
export async function createConfiguredJudge(config: LoadedConfig["config"]): Promise<Judge> {
  const { costOf } = await loadModelPrices(ownPrices(config));
  return await createModelJudge({
    provider: config["evaluation.judge_provider"],
    model: config["evaluation.judge_model"],
    apiKey: config["evaluation.judge_api_key"],
    baseUrl: config["evaluation.judge_base_url"],
    priceOf: costOf,
  });
}
