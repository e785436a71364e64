import { JUDGE_PROVIDERS } from "../api-schema/judge-providers.js";
import type { Config, OptionKey } from "./options.js";

/**
 * Checks the startup rules across two keys (spec 8).
 *
 * @param config - the values that are valid by themselves. A rule is skipped if one of its values is missing.
 * @returns one line per broken rule.
 */
export function crossKeyProblems(
  config: Partial<Config>,
  sources: Readonly<Partial<Record<OptionKey, string>>>,
): string[] {
  const problems: string[] = [];
  const soft = config["backpressure.soft_limit_pct"];
  const hard = config["backpressure.hard_limit_pct"];
  if (soft !== undefined && hard !== undefined && soft >= hard) {
    // spec 8 rule 8
    problems.push(
      `backpressure.soft_limit_pct = ${soft} (${sources["backpressure.soft_limit_pct"]}): must be less than ` +
        `backpressure.hard_limit_pct = ${hard} (${sources["backpressure.hard_limit_pct"]})`,
    );
  }
  return [...problems, ...storeProblems(config, sources), ...judgeProblems(config, sources)];
}

/** Checks that a shared store has a shared queue, and that there is one store. */
function storeProblems(
  config: Partial<Config>,
  sources: Readonly<Partial<Record<OptionKey, string>>>,
): string[] {
  const { "trace_store.url": url, "trace_store.path": path } = config;
  if (url === undefined) return [];
  const problem = (must: string): string =>
    `trace_store.url = ${url} (${sources["trace_store.url"]}): ${must}`;
  const pathSource = sources["trace_store.path"];
  return [
    ...("queue.url" in config && config["queue.url"] === undefined
      ? [problem("needs queue.url, which is set by OBS_SERVER_QUEUE_URL")]
      : []),
    ...(path !== undefined && path !== "none" && pathSource !== "default"
      ? [problem(`must not be set together with trace_store.path = ${path} (${pathSource})`)]
      : []),
  ];
}

/** Checks that the judge has the API key, the base URL and the model that its provider requires (contract 5). */
function judgeProblems(
  config: Partial<Config>,
  sources: Readonly<Partial<Record<OptionKey, string>>>,
): string[] {
  const name = config["evaluation.judge_provider"];
  if (config["evaluation.enabled"] !== true || name === undefined) return [];
  const provider = JUDGE_PROVIDERS[name];
  const problem = (key: OptionKey, env: string): string =>
    `${key} = unset (${sources[key] ?? "default"}): must be set by ${env} when evaluation.judge_provider = ${name} ` +
    `(${sources["evaluation.judge_provider"]}) and evaluation.enabled = true (${sources["evaluation.enabled"]})`;
  const isUnset = (key: OptionKey): boolean => key in config && config[key] === undefined;
  return [
    ...(provider.needsKey && isUnset("evaluation.judge_api_key")
      ? [problem("evaluation.judge_api_key", "OBS_SERVER_EVALUATION_JUDGE_API_KEY")]
      : []),
    ...(provider.needsBaseUrl && isUnset("evaluation.judge_base_url")
      ? [problem("evaluation.judge_base_url", "OBS_SERVER_EVALUATION_JUDGE_BASE_URL")]
      : []),
    ...(provider.defaultModel === undefined && sources["evaluation.judge_model"] === "default"
      ? [problem("evaluation.judge_model", "OBS_SERVER_EVALUATION_JUDGE_MODEL or the YAML file")]
      : []),
  ];
}
