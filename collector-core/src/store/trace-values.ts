import type { TraceFilter } from "../contract/trace.js";
import type { SpanLabels } from "./span-labels.js";
import type { SpanStore } from "./span-store.js";
import { NO_ROW } from "./span-table.js";
import type { TraceRecord } from "./trace-record.js";
import { traceStatus } from "./trace-summary.js";

/** What the spans of a trace say that it can be filtered and counted by. */
export type ValueField = "service" | "env" | "agent" | "model" | "span_type";

/**
 * Tells `visit` what any span of a trace says, since a trace may go through several services and agents. Evaluations
 * count only as a span type. A value may be told more than once, and be `""` where it is absent.
 */
export function visitValues(
  trace: TraceRecord,
  spans: SpanStore,
  visit: (field: ValueField, value: string) => void,
): void {
  if (trace.dropped !== undefined) {
    for (const model of trace.dropped.totals.models) visit("model", model);
    visit("agent", trace.dropped.totals.agent);
  }
  let last: SpanLabels | undefined;
  for (let row = trace.firstSpan; row !== NO_ROW; row = spans.next(row)) {
    const labels = spans.labels(row);
    if (labels === last) continue;
    last = labels;
    visit("service", labels.service);
    visit("env", labels.env);
    visit("agent", labels.agent);
    visit("model", labels.model);
    visit("span_type", labels.spanType);
  }
  if (trace.firstEvaluation === NO_ROW) return;
  visit("span_type", "evaluation");
  if (trace.spanCount > 0) return;
  const { service, env } = spans.labels(trace.firstEvaluation);
  visit("service", service);
  visit("env", env);
}

/** A filter over what {@link visitValues} tells and over the status; text search and trace id are not its part. */
export class ValueFilter {
  readonly #status: string | undefined;
  readonly #tenant: string | undefined;
  readonly #wanted: readonly { readonly field: ValueField; readonly value: string }[];

  constructor({ service, env, agent, model, status, tenant }: TraceFilter) {
    this.#status = status;
    this.#tenant = tenant;
    const given = [
      { field: "service", value: service },
      { field: "env", value: env },
      { field: "agent", value: agent },
      { field: "model", value: model },
    ] as const;
    this.#wanted = given.flatMap(({ field, value }) => (value === undefined ? [] : [{ field, value }]));
  }

  matches(trace: TraceRecord, spans: SpanStore, nowMs: number): boolean {
    if (this.#tenant !== undefined && trace.tenant !== this.#tenant) return false;
    if (this.#status !== undefined && traceStatus(trace, spans, nowMs) !== this.#status) return false;
    if (this.#wanted.length === 0) return true;
    const missing = new Set(this.#wanted);
    visitValues(trace, spans, (field, value) => {
      for (const wanted of missing)
        if (wanted.field === field && wanted.value === value) missing.delete(wanted);
    });
    return missing.size === 0;
  }
}
