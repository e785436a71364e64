import { randomBytes } from "node:crypto";
import { APICallError, generateText, jsonSchema, NoObjectGeneratedError, Output, RetryError } from "ai";
import type { LanguageModelUsage, ModelMessage } from "ai";
import { AnswerTooLarge } from "./bounded-fetch.js";
import type { Judge, JudgeUsage } from "./judge.js";
import { judgeRequest, repairPrompt, VERDICT_SCHEMA } from "./judge-request.js";
import {
  MAX_OUTPUT_TOKENS,
  openJudgeModel,
  type JudgeModel,
  type JudgeModelConfig,
} from "./language-models.js";
import { readVerdict } from "./read-verdict.js";

/** Tokens of a call, as prices are told of them. */
export interface JudgeTokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** What {@link createModelJudge} needs. */
export interface ModelJudgeOptions extends JudgeModelConfig {
  /** Undefined where the model has no known price. */
  readonly priceOf: (model: string, tokens: JudgeTokens) => number | undefined;
}

/** Further attempts where the provider is busy or fails, with growing waits, within the evaluation's time. */
const MAX_RETRIES = 2;
/** Characters of a malformed answer that are sent back with the repair. */
const MAX_QUOTED_LENGTH = 2000;
/** What servers say that cannot hold a model to a schema. */
const NO_SCHEMA = /response_format|json_schema|structured output|output_config|responseSchema|"format"/i;

// Its warnings of settings that a model does not know would be lines on stderr that are not the log's.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

interface Reply {
  readonly text: string;
  readonly usage: LanguageModelUsage | undefined;
  readonly model: string | undefined;
}

/** A judge behind a provider of the AI SDK (contract 8). */
export async function createModelJudge(options: ModelJudgeOptions): Promise<Judge> {
  const opened = await openJudgeModel(options);
  /** Until the provider says that it cannot: then the answer is asked for in words alone. */
  let takesSchema = true;

  async function ask(
    opened: JudgeModel,
    system: string,
    messages: ModelMessage[],
    signal: AbortSignal,
  ): Promise<Reply> {
    const length = system.length + messages.reduce((sum, { content }) => sum + content.length, 0);
    const request = {
      model: opened.model,
      system,
      messages,
      maxRetries: MAX_RETRIES,
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      abortSignal: signal,
      providerOptions: opened.providerOptions(length),
      ...(opened.temperature === undefined ? {} : { temperature: opened.temperature }),
    };
    try {
      const { text, usage, response } = takesSchema
        ? await generateText({
            ...request,
            output: Output.object({ schema: jsonSchema(VERDICT_SCHEMA), name: "verdict" }),
          })
        : await generateText(request);
      return { text, usage, model: response.modelId };
    } catch (error) {
      // The answer is read by our own rules, whatever the SDK makes of it.
      if (NoObjectGeneratedError.isInstance(error))
        return { text: error.text ?? "", usage: error.usage, model: error.response?.modelId };
      if (!takesSchema || !refusesSchema(error)) throw error;
      takesSchema = false;
      return await ask(opened, system, messages, signal);
    }
  }

  return {
    provider: options.provider,
    model: options.model,
    async ask(type, text, signal) {
      const { system, prompt } = judgeRequest(type, text, randomBytes(12).toString("hex"));
      const messages: ModelMessage[] = [{ role: "user", content: prompt }];
      const replies: Reply[] = [];
      const usage = (): JudgeUsage => usageOf(replies, options);
      try {
        const first = await ask(opened, system, messages, signal);
        replies.push(first);
        const verdict = readVerdict(first.text);
        if (typeof verdict !== "string") return { type: "completed", verdict, usage: usage() };
        const quoted = first.text.slice(0, MAX_QUOTED_LENGTH);
        const second = await ask(
          opened,
          system,
          [
            ...messages,
            // Some providers refuse an empty turn.
            { role: "assistant", content: quoted.trim() === "" ? "(no answer)" : quoted },
            { role: "user", content: repairPrompt(verdict) },
          ],
          signal,
        );
        replies.push(second);
        const repaired = readVerdict(second.text);
        return typeof repaired === "string"
          ? { type: "malformed", reason: `The judge's answer cannot be used: ${repaired}.`, usage: usage() }
          : { type: "completed", verdict: repaired, usage: usage() };
      } catch (error) {
        signal.throwIfAborted();
        return { ...failure(error), usage: usage() };
      }
    },
  };
}

/** What went wrong, without the request, which holds the text and the key. */
function failure(
  error: unknown,
): { type: "malformed"; reason: string } | { type: "error"; reason: string; errorType: string } {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  const tooLarge = causes(last).find((cause) => cause instanceof AnswerTooLarge);
  if (tooLarge !== undefined)
    return { type: "malformed", reason: `The judge's answer cannot be used: ${tooLarge.message}.` };
  if (APICallError.isInstance(last)) {
    const { statusCode } = last;
    // An answer of 200 that is not what the provider's API says.
    if (statusCode !== undefined && statusCode < 400)
      return { type: "malformed", reason: "The judge's provider answered what its API does not know." };
    if (statusCode !== undefined)
      return {
        type: "error",
        reason: `The judge's provider answered ${statusCode}: ${firstLine(providerMessage(last))}`,
        errorType: errorTypeOf(statusCode),
      };
    return {
      type: "error",
      reason: `The judge cannot be reached: ${firstLine(last.message)}`,
      errorType: "ConnectionError",
    };
  }
  return {
    type: "error",
    reason: `The judge failed: ${firstLine(last instanceof Error ? last.message : String(last))}`,
    errorType: "JudgeError",
  };
}

/** What the provider says, also where its client does not know how it says it. */
function providerMessage({ message, responseBody }: APICallError): string {
  try {
    const { error } = JSON.parse(responseBody ?? "") as { error?: unknown };
    if (typeof error === "string") return error;
  } catch {
    // It is no JSON.
  }
  return message;
}

/** Raw classes that the collector's own categories know (contract 4). */
function errorTypeOf(status: number): string {
  if (status === 401 || status === 403) return "AuthenticationError";
  if (status === 429) return "RateLimitError";
  return status >= 500 ? "InternalServerError" : "BadRequestError";
}

function refusesSchema(error: unknown): boolean {
  if (!APICallError.isInstance(error)) return false;
  const { statusCode = 0, message, responseBody = "" } = error;
  return (statusCode === 400 || statusCode === 422) && NO_SCHEMA.test(message + responseBody);
}

function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let each = error; each instanceof Error && found.length < 10; each = each.cause) found.push(each);
  return found;
}

const MAX_REASON_LENGTH = 300;

function firstLine(message: string): string {
  return (message.split("\n", 1)[0] ?? "").slice(0, MAX_REASON_LENGTH);
}

/** All attempts together; what a provider does not tell stays unknown. */
function usageOf(replies: readonly Reply[], { model, priceOf }: ModelJudgeOptions): JudgeUsage {
  const costs = replies.map(({ usage, model: answered }) => {
    if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return undefined;
    const tokens = {
      input: usage.inputTokens ?? 0,
      output: usage.outputTokens ?? 0,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      cacheWrite: usage.inputTokenDetails.cacheWriteTokens ?? 0,
      reasoning: usage.outputTokenDetails.reasoningTokens ?? 0,
    };
    // A deployment has a name of its own; the answer says which model it is.
    return priceOf(model, tokens) ?? (answered === undefined ? undefined : priceOf(answered, tokens));
  });
  return {
    // Nothing was asked in 0 tokens: that is how some providers' clients say that they do not know.
    tokensInput: sumKnown(replies.map(({ usage }) => usage?.inputTokens || undefined)),
    tokensOutput: sumKnown(replies.map(({ usage }) => usage?.outputTokens || undefined)),
    costUsd: sumKnown(costs),
  };
}

function sumKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}
