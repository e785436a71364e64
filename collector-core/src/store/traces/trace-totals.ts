import { DistinctValues } from "./distinct-values.js";
import { finiteSum } from "../../span/finite-sum.js";
import { FLAG, FLOAT } from "./span-table.js";
import type { SpanRows, TraceHead } from "./span-rows.js";

/** Totals as JSON. Infinite offsets, of totals without a span, are absent. */
export interface TotalsState {
  readonly tokensInput: number;
  readonly tokensOutput: number;
  readonly costUsd: number;
  /** Absent if senders reported all of it. */
  readonly hasComputedCost?: true;
  readonly llmCalls: number;
  readonly toolCalls: number;
  readonly errorCount: number;
  readonly models: readonly string[];
  readonly providers: readonly string[];
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly agent: string;
  readonly errorCategory: string;
  readonly ttftMs?: number;
  readonly startEpochMs: number;
  readonly startNanos: number;
  readonly originEpochMs?: number;
  readonly originNanos: number;
  readonly earliestOffsetMs?: number;
  readonly latestOffsetMs: number;
  readonly ttftOffsetMs?: number;
}

/** Limit of models, providers, tools, prompts and scores in a summary: a list of 1,000 summaries has a few megabytes. */
export const MAX_LISTED = 20;
/** Limit of the characters of all models of a summary, of all its providers, and so on. */
export const MAX_LISTED_CHARACTERS = 1000;

/** Totals over the spans of a trace, without evaluations (contract 3). */
export class TraceTotals {
  tokensInput = 0;
  tokensOutput = 0;
  costUsd = 0;
  /** Whether a collector computed some of the cost. */
  hasComputedCost = false;
  llmCalls = 0;
  toolCalls = 0;
  errorCount = 0;
  /** In order of arrival. */
  readonly models = new Set<string>();
  readonly providers = new DistinctValues(MAX_LISTED, MAX_LISTED_CHARACTERS);
  /** Names of the tools of tool spans. */
  readonly tools = new DistinctValues(MAX_LISTED, MAX_LISTED_CHARACTERS);
  /** `name` or `name@version`. */
  readonly prompts = new DistinctValues(MAX_LISTED, MAX_LISTED_CHARACTERS);
  /** The first agent named by a span. */
  agent = "";
  /** The category of the first error to arrive. */
  errorCategory = "";
  ttftMs: number | undefined;
  /** The earliest start. */
  startEpochMs = 0;
  startNanos = 0;

  /** Times are kept as milliseconds since the first start: small numbers keep their nanoseconds. */
  #originEpochMs: number | undefined;
  #originNanos = 0;
  #earliestOffsetMs = Number.POSITIVE_INFINITY;
  #latestOffsetMs = 0;
  #ttftOffsetMs = Number.POSITIVE_INFINITY;
  readonly #maxModels: number;

  /** From the earliest start to the latest end, to the nanosecond. */
  get durationMs(): number {
    return Math.round((this.#latestOffsetMs - this.#earliestOffsetMs) * 1e6) / 1e6;
  }

  /** @param maxModels - models to keep. */
  constructor(maxModels: number) {
    this.#maxModels = maxModels;
  }

  /** An independent copy, which keeps every further model. */
  copy(): TraceTotals {
    return TraceTotals.fromState(this.toState(), Number.POSITIVE_INFINITY);
  }

  toState(): TotalsState {
    const { tokensInput, tokensOutput, costUsd, llmCalls, toolCalls, errorCount, agent, errorCategory } =
      this;
    const { ttftMs, startEpochMs, startNanos } = this;
    return {
      ...{ tokensInput, tokensOutput, costUsd, llmCalls, toolCalls, errorCount, agent, errorCategory },
      ...(this.hasComputedCost && { hasComputedCost: true }),
      ...{ startEpochMs, startNanos },
      models: [...this.models],
      providers: this.providers.toArray(),
      tools: this.tools.toArray(),
      prompts: this.prompts.toArray(),
      originNanos: this.#originNanos,
      latestOffsetMs: this.#latestOffsetMs,
      ...(ttftMs !== undefined && { ttftMs, ttftOffsetMs: this.#ttftOffsetMs }),
      ...(this.#originEpochMs !== undefined && {
        originEpochMs: this.#originEpochMs,
        earliestOffsetMs: this.#earliestOffsetMs,
      }),
    };
  }

  /** @param maxModels - as for the constructor. */
  static fromState(state: TotalsState, maxModels: number): TraceTotals {
    const totals = new TraceTotals(maxModels);
    for (const model of state.models) totals.models.add(model);
    for (const provider of state.providers) totals.providers.add(provider);
    for (const tool of state.tools) totals.tools.add(tool);
    for (const prompt of state.prompts) totals.prompts.add(prompt);
    totals.tokensInput = state.tokensInput;
    totals.tokensOutput = state.tokensOutput;
    totals.costUsd = state.costUsd;
    totals.hasComputedCost = state.hasComputedCost === true;
    totals.llmCalls = state.llmCalls;
    totals.toolCalls = state.toolCalls;
    totals.errorCount = state.errorCount;
    totals.agent = state.agent;
    totals.errorCategory = state.errorCategory;
    totals.ttftMs = state.ttftMs;
    totals.startEpochMs = state.startEpochMs;
    totals.startNanos = state.startNanos;
    totals.#originEpochMs = state.originEpochMs;
    totals.#originNanos = state.originNanos;
    totals.#earliestOffsetMs = state.earliestOffsetMs ?? Number.POSITIVE_INFINITY;
    totals.#latestOffsetMs = state.latestOffsetMs;
    totals.#ttftOffsetMs = state.ttftOffsetMs ?? Number.POSITIVE_INFINITY;
    return totals;
  }

  /** Adds a span. A running span adds only its time and labels. */
  add(spans: SpanRows, trace: TraceHead, row: number): void {
    const startOffsetMs = this.addTime(spans, row);
    const { model, agent, errorCategory, provider, toolName, promptName, promptVersion } = spans.labels(row);
    if (model !== "" && this.models.size < this.#maxModels) this.models.add(model);
    if (this.agent === "") this.agent = agent;
    this.providers.add(provider);
    this.tools.add(toolName);
    this.prompts.add(
      promptVersion === "" || promptName === "" ? promptName : `${promptName}@${promptVersion}`,
    );

    const flags = spans.flags(row);
    if ((flags & FLAG.running) !== 0) return;
    if ((flags & FLAG.tool) !== 0) this.toolCalls++;
    if ((flags & FLAG.failed) !== 0) {
      this.errorCount++;
      if (this.errorCategory === "") this.errorCategory = errorCategory;
    }
    if (!spans.countsUsage(trace, row)) return;
    if ((flags & FLAG.llm) !== 0) this.llmCalls++;
    this.tokensInput = finiteSum(this.tokensInput, orZero(spans.float(row, FLOAT.tokensInput)));
    this.tokensOutput = finiteSum(this.tokensOutput, orZero(spans.float(row, FLOAT.tokensOutput)));
    this.costUsd = finiteSum(this.costUsd, orZero(spans.float(row, FLOAT.costUsd)));
    if ((flags & FLAG.computedCost) !== 0) this.hasComputedCost = true;
    const ttftMs = spans.float(row, FLOAT.ttftMs);
    if (!Number.isNaN(ttftMs) && startOffsetMs < this.#ttftOffsetMs) {
      this.#ttftOffsetMs = startOffsetMs;
      this.ttftMs = ttftMs;
    }
  }

  /** Adds only the start and end of a span. @returns its start, in milliseconds since the first start added. */
  addTime(spans: SpanRows, row: number): number {
    const epochMs = spans.float(row, FLOAT.startEpochMs);
    const nanos = spans.startNanos(row);
    if (this.#originEpochMs === undefined) {
      this.#originEpochMs = epochMs;
      this.#originNanos = nanos;
    }
    const startOffsetMs = epochMs - this.#originEpochMs + (nanos - this.#originNanos) / 1e6;
    const endOffsetMs = startOffsetMs + orZero(spans.float(row, FLOAT.durationMs));
    if (startOffsetMs < this.#earliestOffsetMs) {
      this.#earliestOffsetMs = startOffsetMs;
      this.startEpochMs = epochMs;
      this.startNanos = nanos;
    }
    if (endOffsetMs > this.#latestOffsetMs) this.#latestOffsetMs = endOffsetMs;
    return startOffsetMs;
  }
}

function orZero(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}
