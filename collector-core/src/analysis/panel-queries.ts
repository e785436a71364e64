/** What panels of metrics show. */
export interface PanelView {
  /** Length of the window, such as `1h`. */
  readonly window: string;
  /** The label that the panels group by. */
  readonly groupBy: string;
  /** Values of labels. */
  readonly filters: Readonly<Partial<Record<string, string>>>;
}

/**
 * PromQL queries for what the panels show, with the filters of the view. Percentiles differ: the panels read them from a sketch,
 * within 2 % of the exact value, and `histogram_quantile` interpolates within a bucket, so it may be off by the bucket's width.
 */
export function panelQueries({ window, groupBy, filters }: PanelView, stepSeconds: number) {
  const range = rangeOf(stepSeconds);
  /** A metric name with label matchers. */
  const of = (family: string, own: readonly string[] = []): string => {
    const chosen = Object.entries(filters).map(([label, value]) => `${label}=${quoted(value ?? "")}`);
    const matchers = [...chosen, ...own];
    return matchers.length === 0 ? family : `${family}{${matchers.join(",")}}`;
  };
  const rate = (family: string, own?: readonly string[]) => `rate(${of(family, own)}[${range}])`;
  const calls = groupBy === "tool_name" ? "obs_tool_calls_total" : "obs_llm_calls_total";
  const ofCalls = ['span_type="llm"'];
  return {
    calls: `sum by (${groupBy}) (${rate(calls)}) * 60`,
    // `obs_spans_total` has no model, provider or agent to filter by.
    errors:
      `sum by (error_type) (${rate("obs_errors_total")}) / ` +
      `scalar(sum(${rate("obs_duration_seconds_count")}))`,
    latency: `histogram_quantile(0.95, sum by (le) (${rate("obs_duration_seconds_bucket", ofCalls)}))`,
    latencyByGroup: `histogram_quantile(0.95, sum by (le, ${groupBy}) (${rate("obs_duration_seconds_bucket", ofCalls)}))`,
    ttft: `histogram_quantile(0.5, sum by (le, ${groupBy}) (${rate("obs_ttft_seconds_bucket")}))`,
    tokens: `sum(${rate("obs_tokens_input_sum")}) * 60`,
    speed:
      `sum by (${groupBy}) (${rate("obs_tokens_output_sum")}) / ` +
      `sum by (${groupBy}) (${rate("obs_duration_seconds_sum", ofCalls)})`,
    cost: `sum by (${groupBy}) (${rate("obs_cost_total")}) * 60`,
    tools: `sum by (tool_name, status) (increase(${of("obs_tool_calls_total")}[${window}]))`,
    // The panel always covers the last day, and needs no recording rules.
    objectives:
      `1 - (${dayOf('obs_llm_calls_total{status="ERROR"}')} or ${dayOf("obs_llm_calls_total")} * 0) / ` +
      `${dayOf("obs_llm_calls_total")} / max by (agent) (obs_slo_error_rate)`,
  } as const;
}

/** A rate needs at least two scrapes, which are about 15 s apart. */
function rangeOf(stepSeconds: number): string {
  return `${Math.max(1, Math.ceil(stepSeconds / 60))}m`;
}

function dayOf(family: string): string {
  return `sum by (agent) (increase(${family}[24h]))`;
}

function quoted(value: string): string {
  return JSON.stringify(value);
}
