import { randomBytes } from "node:crypto";
import { APICallError, generateText, jsonSchema, NoObjectGeneratedError, Output, RetryError } from "ai";
import type { LanguageModelUsage, ModelMessage } from "ai";
import { errorMessage } from "../../runtime/describe-error.js";
import { createSecretHider } from "../../runtime/hide-secrets.js";
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

/** Tokens of a call by price category. */
export interface JudgeTokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** Options of {@link createModelJudge}. */
export interface ModelJudgeOptions extends JudgeModelConfig {
  /** Returns the cost in USD; undefined when the price of the model is unknown. */
  readonly priceOf: (model: string, tokens: JudgeTokens) => number | undefined;
}

/** Retries with backoff when the provider is overloaded or fails, within the timeout of the evaluation. */
const MAX_RETRIES = 2;
/** Maximum length of a malformed answer that is quoted in the repair request. */
const MAX_QUOTED_LENGTH = 2000;
/** Matches error messages of servers without structured output. */
const NO_SCHEMA = /response_format|json_schema|structured output|output_config|responseSchema|"format"/i;

// Global state of the AI SDK: its warnings about unsupported settings bypass the collector's log on stderr.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

interface Reply {
  readonly text: string;
  readonly usage: LanguageModelUsage | undefined;
  readonly model: string | undefined;
}

/** Creates a judge that uses a provider of the AI SDK (contract 8). */
export async function createModelJudge(options: ModelJudgeOptions): Promise<Judge> {
  const opened = await openJudgeModel(options);
  const hideSecrets = createSecretHider(options.apiKey === undefined ? [] : [options.apiKey]);
  /** Becomes false when the provider rejects the schema. The prompt alone then describes the format. */
  let supportsSchema = true;

  async function generate(
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
      const { text, usage, response } = supportsSchema
        ? await generateText({
            ...request,
            output: Output.object({ schema: jsonSchema(VERDICT_SCHEMA), name: "verdict" }),
          })
        : await generateText(request);
      return { text, usage, model: response.modelId };
    } catch (error) {
      // readVerdict accepts answers that the SDK rejects.
      if (NoObjectGeneratedError.isInstance(error))
        return { text: error.text ?? "", usage: error.usage, model: error.response?.modelId };
      if (!supportsSchema || !refusesSchema(error)) throw error;
      supportsSchema = false;
      return await generate(opened, system, messages, signal);
    }
  }

  return {
    provider: options.provider,
    model: options.model,
    async score(type, text, signal) {
      const { system, prompt } = judgeRequest(type, text, randomBytes(12).toString("hex"));
      const messages: ModelMessage[] = [{ role: "user", content: prompt }];
      const replies: Reply[] = [];
      const usage = (): JudgeUsage => usageOf(replies, options);
      try {
        const first = await generate(opened, system, messages, signal);
        replies.push(first);
        const verdict = readVerdict(hideSecrets(first.text));
        if (typeof verdict !== "string") return { type: "completed", verdict, usage: usage() };
        const quoted = first.text.slice(0, MAX_QUOTED_LENGTH);
        const second = await generate(
          opened,
          system,
          [
            ...messages,
            // Some providers reject an empty turn.
            { role: "assistant", content: quoted.trim() === "" ? "(no answer)" : quoted },
            { role: "user", content: repairPrompt(verdict) },
          ],
          signal,
        );
        replies.push(second);
        const repaired = readVerdict(hideSecrets(second.text));
        return typeof repaired === "string"
          ? {
              type: "malformed",
              reason: `The judge gave no verdict in two attempts: ${repaired}. Use a model that follows a JSON schema.`,
              usage: usage(),
            }
          : { type: "completed", verdict: repaired, usage: usage() };
      } catch (error) {
        signal.throwIfAborted();
        return { ...failure(error, hideSecrets), usage: usage() };
      }
    },
  };
}

/** Describes an error without the request, which contains the evaluated text and the API key. */
function failure(
  error: unknown,
  hideSecrets: (text: string) => string,
): { type: "malformed"; reason: string } | { type: "error"; reason: string; errorType: string } {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  const tooLarge = causes(last).find((cause) => cause instanceof AnswerTooLarge);
  if (tooLarge !== undefined)
    return { type: "malformed", reason: `The judge gave no verdict: ${tooLarge.message}.` };
  if (APICallError.isInstance(last)) {
    const { statusCode } = last;
    // A successful status with an unexpected body.
    if (statusCode !== undefined && statusCode < 400)
      return {
        type: "malformed",
        reason: "The judge's provider sent a response that its API does not define.",
      };
    if (statusCode !== undefined)
      return {
        type: "error",
        reason: `The judge's provider responded with ${statusCode}: ${firstLine(hideSecrets(providerMessage(last)))}`,
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
    reason: `The judge failed: ${firstLine(errorMessage(last))}`,
    errorType: "JudgeError",
  };
}

/** Reads the provider's error message, including forms that the AI SDK does not parse. */
function providerMessage({ message, responseBody }: APICallError): string {
  try {
    const { error } = JSON.parse(responseBody ?? "") as { error?: unknown };
    if (typeof error === "string") return error;
  } catch {
    // Not JSON.
  }
  return message;
}

/** Maps a status to an error class that the collector's categories cover (contract 4). */
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

/** Sums all attempts. A value that no response reports is undefined. */
function usageOf(replies: readonly Reply[], { model, priceOf }: ModelJudgeOptions): JudgeUsage {
  const costs = replies.map(({ usage, model: respondedModel }) => {
    if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return undefined;
    const tokens = {
      input: usage.inputTokens ?? 0,
      output: usage.outputTokens ?? 0,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      cacheWrite: usage.inputTokenDetails.cacheWriteTokens ?? 0,
      reasoning: usage.outputTokenDetails.reasoningTokens ?? 0,
    };
    // The configured model may be the name of a deployment; the response contains the model.
    return (
      priceOf(model, tokens) ?? (respondedModel === undefined ? undefined : priceOf(respondedModel, tokens))
    );
  });
  return {
    // Some provider clients report 0 for an unknown number of tokens.
    tokensInput: sumKnown(replies.map(({ usage }) => usage?.inputTokens || undefined)),
    tokensOutput: sumKnown(replies.map(({ usage }) => usage?.outputTokens || undefined)),
    costUsd: sumKnown(costs),
  };
}

function sumKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}
