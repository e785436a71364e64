import { OTHER_LABEL_VALUE, type CappedLabel } from "../../api-schema/metrics.js";
import type { BatchContext, SpanFacts } from "../../span/span-facts.js";
import type { LabelValues } from "./label-values.js";
import type { StatsRow } from "../stats/stats-rows.js";
import type { CounterSeries, HistogramSeries, Labels } from "./series.js";

/** The series that spans of one set of labels feed, each found once, when the first of them needs it. */
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

  /** @param labels - of all span families together; each family takes its own from them. */
  constructor(readonly labels: Labels) {}
}

// One level of Maps for each label: finding a span's series makes no string and no object. The labels with the fewest
// values come first, so that the levels below are shared.
type ByAgent = Map<string, SpanSeries>;
type ByToolName = Map<string, ByAgent>;
type ByModel = Map<string, ByToolName>;
type ByProvider = Map<string, ByModel>;
type ByErrorType = Map<string, ByProvider>;
type ByStatus = Map<string, ByErrorType>;
type BySpanType = Map<string, ByStatus>;
type ByTenant = Map<string, BySpanType>;
type ByEnv = Map<string, ByTenant>;

/** What the spans of a batch have in common. */
interface Scope {
  readonly service: string;
  readonly env: string;
  readonly tenant: string;
  readonly bySpanType: BySpanType;
  /** The labels of these three that are beyond their cap: counted for each span. */
  readonly overflowing: readonly LabelValues[];
}

/** Series that are tried before the Maps: a service has few sets of labels in use at a time. */
const RECENT_SERIES = 8;

/**
 * Finds the {@link SpanSeries} of a span: the hot path of the metrics. It holds at most `capacity` of them; when full
 * it is emptied and fills again with what is in use. What was counted is not in here.
 */
export class SpanSeriesCache {
  private readonly byService = new Map<string, ByEnv>();
  /** The series that were found last, in a ring. */
  private readonly recent: (SpanSeries | undefined)[] = new Array<undefined>(RECENT_SERIES).fill(undefined);
  private nextRecent = 0;
  private size = 0;
  private context: BatchContext | undefined;
  private scope: Scope | undefined;

  constructor(
    private readonly values: Readonly<Record<CappedLabel, LabelValues>>,
    private readonly capacity: number,
  ) {}

  find(facts: SpanFacts, context: BatchContext): SpanSeries {
    const scope = this.enter(context);
    for (const label of scope.overflowing) label.overflows += 1;
    for (const series of this.recent) {
      if (series !== undefined && isOf(series.labels, scope, facts)) return series;
    }
    const series = this.findAmongAll(facts, scope);
    this.recent[this.nextRecent] = series;
    this.nextRecent = (this.nextRecent + 1) % RECENT_SERIES;
    return series;
  }

  private findAmongAll(facts: SpanFacts, scope: Scope): SpanSeries {
    const { values } = this;
    const spanType = values.span_type.resolve(facts.spanType);
    const status = statusLabel(facts.status);
    const model = values.model.resolve(facts.model);
    const provider = values.provider.resolve(facts.provider);
    const toolName = values.tool_name.resolve(facts.toolName);
    const agent = values.agent.resolve(facts.agent);
    const errorType = values.error_type.resolve(facts.errorCategory);

    const byErrorType = level(level(scope.bySpanType, spanType), status);
    const byAgent = level(level(level(level(byErrorType, errorType), provider), model), toolName);
    const known = byAgent.get(agent);
    if (known !== undefined) return known;

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
    this.keep(byAgent, agent, series);
    return series;
  }

  /** The spans of a batch follow each other: its labels are found once. */
  private enter(context: BatchContext): Scope {
    if (this.scope !== undefined && this.context === context) return this.scope;
    const overflowing: LabelValues[] = [];
    const find = (values: LabelValues, raw: string): string => {
      const value = values.find(raw);
      if (value === undefined) overflowing.push(values);
      return value ?? OTHER_LABEL_VALUE;
    };
    const service = find(this.values.service, context.service);
    const env = find(this.values.env, context.env);
    const tenant = find(this.values.tenant, context.tenant);
    this.context = context;
    this.scope = {
      service,
      env,
      tenant,
      bySpanType: level(level(level(this.byService, service), env), tenant),
      overflowing,
    };
    return this.scope;
  }

  private keep(byAgent: ByAgent, agent: string, series: SpanSeries): void {
    if (this.size >= this.capacity) {
      this.byService.clear();
      this.recent.fill(undefined);
      this.scope = undefined;
      this.size = 0;
      return;
    }
    byAgent.set(agent, series);
    this.size += 1;
  }
}

/**
 * True where a span's values are the very labels. One that was cut, or that is beyond its cap and must be counted as
 * such, is not.
 */
function isOf(labels: Labels, scope: Scope, facts: SpanFacts): boolean {
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

/** Statuses other than the two of the spec are one (contract 4). */
function statusLabel(status: string): string {
  return status === "OK" || status === "ERROR" ? status : OTHER_LABEL_VALUE;
}

/** The Map that stands under a key, made where there is none. */
function level<V>(parent: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let child = parent.get(key);
  if (child === undefined) {
    child = new Map();
    parent.set(key, child);
  }
  return child;
}
