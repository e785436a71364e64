import { isRecord } from "../../span/span-facts.js";
import { asNumber, asRecord, type AttributeSet } from "./attribute-set.js";
import { keyGroup } from "./key-groups.js";

/** Usage of a call. Missing values stay absent, never zero (contract 6). */
export interface Usage {
  /** All input tokens, including cached ones. */
  readonly tokens_input?: number | undefined;
  readonly tokens_output?: number | undefined;
  readonly tokens_cached?: number | undefined;
  /** Input tokens that were written to the cache. */
  readonly tokens_cache_write?: number | undefined;
  readonly tokens_reasoning?: number | undefined;
  readonly cost_usd?: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const INPUT = keyGroup([
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.prompt_tokens",
  "llm.token_count.prompt",
  "ai.usage.inputTokens",
  "ai.usage.promptTokens",
  "ai.usage.tokens",
  "llm.usage.prompt_tokens",
  "llm.usage.input_tokens",
  "gen_ai.response.prompt_tokens",
]);
const OUTPUT = keyGroup([
  "gen_ai.usage.output_tokens",
  "gen_ai.usage.completion_tokens",
  "llm.token_count.completion",
  "ai.usage.outputTokens",
  "ai.usage.completionTokens",
  "llm.usage.completion_tokens",
  "llm.usage.output_tokens",
  "gen_ai.response.completion_tokens",
]);
const CACHED = keyGroup([
  "gen_ai.usage.cache_read.input_tokens",
  "gen_ai.usage.cache_read_input_tokens",
  "gen_ai.usage.cached_input_tokens",
  "gen_ai.usage.details.cache_read_tokens",
  "gen_ai.usage.details.cached_tokens",
  "llm.token_count.prompt_details.cache_read",
  "ai.usage.inputTokenDetails.cacheReadTokens",
  "ai.usage.cachedInputTokens",
  "llm.usage.cache_read_input_tokens",
]);
const CACHE_WRITES = keyGroup([
  "gen_ai.usage.cache_write.input_tokens",
  "gen_ai.usage.cache_creation.input_tokens",
  "gen_ai.usage.cache_creation_input_tokens",
  "gen_ai.usage.cache_write_input_tokens",
  "gen_ai.usage.details.cache_write_tokens",
  "gen_ai.usage.details.cache_creation_tokens",
  "llm.token_count.prompt_details.cache_write",
  "ai.usage.inputTokenDetails.cacheWriteTokens",
  "llm.usage.cache_creation_input_tokens",
]);
const REASONING = keyGroup([
  "gen_ai.usage.reasoning.output_tokens",
  "gen_ai.usage.reasoning_tokens",
  "gen_ai.usage.details.reasoning_tokens",
  "llm.token_count.completion_details.reasoning",
  "ai.usage.outputTokenDetails.reasoningTokens",
  "ai.usage.reasoningTokens",
  "llm.usage.reasoning_tokens",
]);
const TOTAL = keyGroup([
  "gen_ai.usage.total_tokens",
  "llm.usage.total_tokens",
  "llm.token_count.total",
  "ai.usage.totalTokens",
]);
const COST = keyGroup([
  "gen_ai.usage.cost",
  "llm.cost.total",
  "operation.cost",
  "gen_ai.cost.total_cost",
  "gen_ai.usage.total_cost",
  "llm.usage.total_cost",
]);

/** Attributes with several usage values in an object. */
const OBJECTS = keyGroup([
  "langfuse.observation.usage_details",
  "langfuse.observation.cost_details",
  "ai.response.providerMetadata",
  "langsmith.usage_metadata",
  "genkit:output",
]);
/** Usage of LangChain, as LangSmith forwards it. */
const LANGCHAIN_USAGE = keyGroup(["langsmith.usage_metadata"]);
/** Genkit has the usage only in the output. */
const GENKIT_OUTPUT = keyGroup(["genkit:output"]);
const ALL = [INPUT, OUTPUT, CACHED, CACHE_WRITES, REASONING, COST, OBJECTS];
const NOTHING: Usage = {};

/** Takes the usage of a span from its attributes. */
export function takeUsage(attributes: AttributeSet, provider: string, scope: string): Usage {
  if (!ALL.some((group) => attributes.mayHave(group))) return NOTHING;
  const input = attributes.take(INPUT, asTokens);
  const output = attributes.take(OUTPUT, asTokens);
  const isSilent = input === undefined && output === undefined;
  const own = isSilent ? (readLangfuseUsage(attributes) ?? readGenkitUsage(attributes)) : undefined;
  const details = readLangChainDetails(attributes);
  const total = attributes.peek(TOTAL, asTokens);
  const metadata = readProviderMetadata(attributes);
  const cached =
    attributes.take(CACHED, asTokens) ?? own?.tokens_cached ?? metadata.cacheRead ?? details.cacheRead;
  const written =
    attributes.take(CACHE_WRITES, asTokens) ??
    own?.tokens_cache_write ??
    metadata.cacheWrite ??
    details.cacheWrite;
  const counts = { input: input ?? 0, output: output ?? 0, cache: (cached ?? 0) + (written ?? 0), total };
  const isExclusive = excludesCache(attributes, counts, { provider, scope, rawInput: metadata.input });
  return {
    tokens_input: input === undefined ? own?.tokens_input : isExclusive ? input + counts.cache : input,
    tokens_output: output ?? own?.tokens_output,
    tokens_cached: cached,
    tokens_cache_write: written,
    tokens_reasoning:
      attributes.take(REASONING, asTokens) ??
      own?.tokens_reasoning ??
      metadata.reasoning ??
      details.reasoning,
    cost_usd: attributes.take(COST, asAmount) ?? readLangfuseCost(attributes),
  };
}

/** Instrumentations that forward the input count of a provider whose count excludes cached tokens. */
const RAW_SCOPE = /^@traceloop\/instrumentation-(?:anthropic|bedrock)/;
/** Providers whose input count excludes cached tokens. */
const EXCLUSIVE_PROVIDERS: ReadonlySet<string> = new Set(["anthropic", "bedrock"]);

/**
 * True if the input tokens exclude cache reads and writes. In OpenTelemetry and OpenInference they include them; some
 * libraries forward the counts of Anthropic and Bedrock, which exclude them.
 */
function excludesCache(
  attributes: AttributeSet,
  {
    input,
    output,
    cache,
    total,
  }: { input: number; output: number; cache: number; total: number | undefined },
  sender: { provider: string; scope: string; rawInput: number | undefined },
): boolean {
  if (cache === 0) return false;
  // An included part cannot exceed the whole, and the total may add up only with the cache.
  if (cache > input || total === input + output + cache) return true;
  if (sender.rawInput !== undefined) return sender.rawInput === input;
  if (RAW_SCOPE.test(sender.scope)) return true;
  // AI SDK 4 and 5. From version 6 on it sends details of the input tokens, which include the cache.
  const isAiSdk = attributes.has("ai.operationId") || attributes.has("ai.model.provider");
  const hasDetails = [...attributes.keys()].some((key) => key.startsWith("ai.usage.inputTokenDetails."));
  return isAiSdk && !hasDetails && EXCLUSIVE_PROVIDERS.has(sender.provider);
}

/** Parts of the token counts. */
interface UsageDetails {
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly reasoning?: number | undefined;
}

function readLangChainDetails(attributes: AttributeSet): UsageDetails {
  const usage = attributes.peek(LANGCHAIN_USAGE, asRecord);
  if (usage === undefined) return {};
  const input = isRecord(usage["input_token_details"]) ? usage["input_token_details"] : {};
  const output = isRecord(usage["output_token_details"]) ? usage["output_token_details"] : {};
  return {
    cacheRead: asTokens(input["cache_read"]),
    cacheWrite: asTokens(input["cache_creation"]),
    reasoning: asTokens(output["reasoning"]),
  };
}

function readGenkitUsage(attributes: AttributeSet): Usage | undefined {
  const usage = attributes.peek(GENKIT_OUTPUT, asRecord)?.["usage"];
  if (!isRecord(usage)) return undefined;
  return {
    tokens_input: asTokens(usage["inputTokens"]),
    tokens_output: asTokens(usage["outputTokens"]),
    tokens_cached: asTokens(usage["cachedContentTokens"]),
    tokens_reasoning: asTokens(usage["thoughtsTokens"]),
  };
}

/** Reads provider metadata, which the AI SDK forwards from the response of the provider. */
function readProviderMetadata(
  attributes: AttributeSet,
): UsageDetails & { readonly input?: number | undefined } {
  const metadata = asRecord(attributes.get("ai.response.providerMetadata"), attributes.texts);
  if (metadata === undefined) return {};
  for (const fields of Object.values(metadata)) {
    if (!isRecord(fields)) continue;
    const usage = isRecord(fields["usage"]) ? fields["usage"] : {};
    const all = { ...fields, ...usage };
    const cacheRead = firstOf(all, [
      "cache_read_input_tokens",
      "cacheReadInputTokens",
      "cachedPromptTokens",
      "cachedContentTokenCount",
    ]);
    const cacheWrite = firstOf(all, [
      "cache_creation_input_tokens",
      "cacheCreationInputTokens",
      "cacheWriteInputTokens",
    ]);
    const reasoning = firstOf(all, ["reasoningTokens", "thoughtsTokenCount"]);
    if (cacheRead !== undefined || cacheWrite !== undefined || reasoning !== undefined)
      return { input: asTokens(usage["input_tokens"]), cacheRead, cacheWrite, reasoning };
  }
  return {};
}

/** Reads the usage object of Langfuse, whose keys vary: entries named `input…` add up to the input. */
function readLangfuseUsage(attributes: AttributeSet): Usage | undefined {
  const details = asRecord(attributes.get("langfuse.observation.usage_details"), attributes.texts);
  if (details === undefined) return undefined;
  const cached = firstOf(details, [
    "input_cached_tokens",
    "input_cache_read",
    "cache_read_input_tokens",
    "input_cache_read_tokens",
  ]);
  const promptDetails = asRecord(
    details["prompt_tokens_details"] ?? details["input_tokens_details"],
    attributes.texts,
  );
  const outputDetails = asRecord(
    details["completion_tokens_details"] ?? details["output_tokens_details"],
    attributes.texts,
  );
  return {
    tokens_input: sumOf(details, "input") ?? asTokens(details["prompt_tokens"]),
    tokens_output: sumOf(details, "output") ?? asTokens(details["completion_tokens"]),
    tokens_cached: cached ?? asTokens(promptDetails?.["cached_tokens"]),
    tokens_cache_write: firstOf(details, [
      "input_cache_creation",
      "cache_creation_input_tokens",
      "input_cache_creation_tokens",
      "input_cache_write",
    ]),
    tokens_reasoning:
      firstOf(details, ["output_reasoning_tokens", "output_reasoning"]) ??
      asTokens(outputDetails?.["reasoning_tokens"]),
  };
}

/** Sums the entries of one side, unless the total shows that the first of them is the sum already. */
function sumOf(details: Fields, side: "input" | "output"): number | undefined {
  const whole = asTokens(details[side]) ?? asTokens(details[`${side}_tokens`]);
  const entries = Object.entries(details).flatMap(([key, value]) => {
    const count = key.includes(side) ? asTokens(value) : undefined;
    return count === undefined ? [] : [count];
  });
  if (entries.length === 0) return undefined;
  const other = asTokens(details[side === "input" ? "output" : "input"]) ?? 0;
  const total = asTokens(details["total"]) ?? asTokens(details["total_tokens"]);
  const sum = entries.reduce((a, b) => a + b, 0);
  // In OpenAI's layout the details are a part of the whole.
  const isPart =
    isRecord(details[`${side}_tokens_details`]) || (whole !== undefined && total === whole + other);
  return whole !== undefined && isPart ? whole : sum;
}

function readLangfuseCost(attributes: AttributeSet): number | undefined {
  const details = asRecord(attributes.get("langfuse.observation.cost_details"), attributes.texts);
  if (details === undefined) return undefined;
  const total = asAmount(details["total"]);
  if (total !== undefined) return total;
  const parts = Object.values(details).flatMap((value) => asAmount(value) ?? []);
  return parts.length === 0 ? undefined : parts.reduce((a, b) => a + b, 0);
}

function firstOf(fields: Fields, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const count = asTokens(fields[key]);
    if (count !== undefined) return count;
  }
  return undefined;
}

function asTokens(value: unknown): number | undefined {
  const number = asNumber(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function asAmount(value: unknown): number | undefined {
  const number = asNumber(value);
  return number !== undefined && Number.isFinite(number) && number >= 0 ? number : undefined;
}
