import { OTHER_LABEL_VALUE, type CappedLabel } from "../../api-schema/metrics.js";
import type { BatchContext, SpanFacts } from "../../span/span-facts.js";
import type { LabelValues } from "./label-values.js";
import type { StatsRow } from "../stats/stats-rows.js";
import type { CounterSeries, HistogramSeries, Labels } from "./series.js";

/** The series of one label set. Each is resolved on first use. */
export class SpanSeries {
  spans: CounterSeries | undefined = undefined;
  duration: HistogramSeries | undefined = undefined;
  tokensInput: HistogramSeries | undefined = undefined;
  tokensOutput: HistogramSeries | undefined = undefined;
  ttft: HistogramSeries | undefined = undefined;
  llmCalls: CounterSeries | undefined = undefined;
  toolCalls: CounterSeries | undefined = undefined;
  errors: CounterSeries | undefined = undefined;
  cost: CounterSeries | undefined = undefined;
  stats: StatsRow | undefined = undefined;

  /** @param labels - the labels of all span families; each family uses a subset. */
  constructor(readonly labels: Labels) {}
}

// Nested Maps, one level per label: a lookup allocates nothing. Labels with few values come first, to keep the number
// of Maps low.
type ByAgent = Map<string, SpanSeries>;
type ByToolName = Map<string, ByAgent>;
type ByModel = Map<string, ByToolName>;
type ByProvider = Map<string, ByModel>;
type ByErrorType = Map<string, ByProvider>;
type ByStatus = Map<string, ByErrorType>;
type BySpanType = Map<string, ByStatus>;
type ByTenant = Map<string, BySpanType>;
type ByEnv = Map<string, ByTenant>;

/** Labels that all spans of a batch share. */
interface Scope {
  readonly service: string;
  readonly env: string;
  readonly tenant: string;
  readonly bySpanType: BySpanType;
  /** Those of the three labels that are beyond their cap; each span counts as an overflow. */
  readonly overflowing: readonly LabelValues[];
}

/** Series to compare before the Maps: a service uses few label sets at a time. */
const RECENT_SERIES = 8;

/**
 * Caches the {@link SpanSeries} of label sets; `find` is the hot path of the metrics. Holds at most `capacity`
 * entries and clears itself when full. Clearing loses no counts: the families own the series.
 */
export class SpanSeriesCache {
  readonly #byService = new Map<string, ByEnv>();
  /** Ring of the most recently used series. */
  readonly #recent: (SpanSeries | undefined)[] = new Array<undefined>(RECENT_SERIES).fill(undefined);
  readonly #values: Readonly<Record<CappedLabel, LabelValues>>;
  readonly #capacity: number;
  #nextRecent = 0;
  #size = 0;
  #context: BatchContext | undefined;
  #scope: Scope | undefined;

  constructor(values: Readonly<Record<CappedLabel, LabelValues>>, capacity: number) {
    this.#values = values;
    this.#capacity = capacity;
  }

  find(facts: SpanFacts, context: BatchContext): SpanSeries {
    const scope = this.#resolveScope(context);
    for (const label of scope.overflowing) label.overflows += 1;
    for (const series of this.#recent) {
      if (series !== undefined && hasLabels(series.labels, scope, facts)) return series;
    }
    const series = this.#lookUp(facts, scope);
    this.#recent[this.#nextRecent] = series;
    this.#nextRecent = (this.#nextRecent + 1) % RECENT_SERIES;
    return series;
  }

  #lookUp(facts: SpanFacts, scope: Scope): SpanSeries {
    const values = this.#values;
    const spanType = values.span_type.resolve(facts.spanType);
    const status = statusLabel(facts.status);
    const model = values.model.resolve(facts.model);
    const provider = values.provider.resolve(facts.provider);
    const toolName = values.tool_name.resolve(facts.toolName);
    const agent = values.agent.resolve(facts.agent);
    const errorType = values.error_type.resolve(facts.errorCategory);

    const byErrorType = childMap(childMap(scope.bySpanType, spanType), status);
    const byModel = childMap(childMap(byErrorType, errorType), provider);
    const byAgent = childMap(childMap(byModel, model), toolName);
    const cached = byAgent.get(agent);
    if (cached !== undefined) return cached;

    const series = new SpanSeries({
      service: scope.service,
      env: scope.env,
      tenant: scope.tenant,
      span_type: spanType,
      status,
      model,
      provider,
      tool_name: toolName,
      agent,
      error_type: errorType,
    });
    this.#insert(byAgent, agent, series);
    return series;
  }

  /** Resolves the labels of a batch once: its spans are consecutive. */
  #resolveScope(context: BatchContext): Scope {
    if (this.#scope !== undefined && this.#context === context) return this.#scope;
    const overflowing: LabelValues[] = [];
    const find = (values: LabelValues, raw: string): string => {
      const value = values.find(raw);
      if (value === undefined) overflowing.push(values);
      return value ?? OTHER_LABEL_VALUE;
    };
    const service = find(this.#values.service, context.service);
    const env = find(this.#values.env, context.env);
    const tenant = find(this.#values.tenant, context.tenant);
    this.#context = context;
    this.#scope = {
      service,
      env,
      tenant,
      bySpanType: childMap(childMap(childMap(this.#byService, service), env), tenant),
      overflowing,
    };
    return this.#scope;
  }

  #insert(byAgent: ByAgent, agent: string, series: SpanSeries): void {
    if (this.#size >= this.#capacity) {
      this.#byService.clear();
      this.#recent.fill(undefined);
      this.#scope = undefined;
      this.#size = 0;
      return;
    }
    byAgent.set(agent, series);
    this.#size += 1;
  }
}

/**
 * True when the raw values of a span equal the labels. False for a truncated value, and for a value beyond its cap,
 * which must be counted as an overflow.
 */
function hasLabels(labels: Labels, scope: Scope, facts: SpanFacts): boolean {
  return (
    labels["model"] === facts.model &&
    labels["tool_name"] === facts.toolName &&
    labels["span_type"] === facts.spanType &&
    labels["status"] === facts.status &&
    labels["agent"] === facts.agent &&
    labels["error_type"] === facts.errorCategory &&
    labels["provider"] === facts.provider &&
    labels["service"] === scope.service &&
    labels["env"] === scope.env &&
    labels["tenant"] === scope.tenant
  );
}

/** Maps all statuses except `OK` and `ERROR` to `__other__` (contract 4). */
function statusLabel(status: string): string {
  return status === "OK" || status === "ERROR" ? status : OTHER_LABEL_VALUE;
}

/** Returns the Map under a key. Creates it if necessary. */
function childMap<V>(parent: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let child = parent.get(key);
  if (child === undefined) {
    child = new Map();
    parent.set(key, child);
  }
  return child;
}
