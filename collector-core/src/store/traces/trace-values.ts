import type { SpanLabels } from "./span-labels.js";

/** Fields of spans by which traces are filtered and counted. */
export type ValueField = "service" | "env" | "agent" | "model" | "span_type" | "evaluation_type";

/** Values of a trace, by which it is filtered and counted too. */
export interface SingleValues {
  readonly tenant: string;
  readonly status: string;
  readonly hasEvaluation: boolean;
}

/**
 * The distinct values of all spans of a trace, which may pass several services and agents. Absent values are left out.
 * Evaluations add only their span type and evaluation type.
 */
export interface TraceValues extends SingleValues, Readonly<Record<ValueField, readonly string[]>> {}

/** Values of dropped spans. */
export interface DroppedValues {
  readonly models: Iterable<string>;
  readonly agent: string;
}

/** Interned combinations of values; apps have a few dozen. */
const MAX_INTERNED = 4096;

/** Interns equal values: ten thousand traces of an app share a few combinations, each of which is filtered and counted once. */
export class TraceValuesTable {
  readonly #known = new Map<string, TraceValues>();

  /**
   * The values of a trace whose spans have these distinct labels.
   *
   * @param dropped - with dropped values the result is not interned.
   */
  of(labels: readonly SpanLabels[], single: SingleValues, dropped: DroppedValues | undefined): TraceValues {
    if (dropped !== undefined) return valuesOf(labels, single, dropped);
    const serials = labels.map(({ serial }) => serial).sort((a, b) => a - b);
    const { tenant, status, hasEvaluation } = single;
    const key = `${serials.join()}${hasEvaluation ? "+" : "-"}${status.length}:${status}${tenant}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Serials are unique, so that clearing costs no more than duplicates.
    if (this.#known.size === MAX_INTERNED) this.#known.clear();
    const values = valuesOf(labels, single, { models: [], agent: "" });
    this.#known.set(key, values);
    return values;
  }

  clear(): void {
    this.#known.clear();
  }
}

function valuesOf(
  labels: readonly SpanLabels[],
  { tenant, status, hasEvaluation }: SingleValues,
  dropped: DroppedValues,
): TraceValues {
  const found: Readonly<Record<ValueField, Set<string>>> = {
    service: new Set(),
    env: new Set(),
    agent: new Set([dropped.agent]),
    model: new Set(dropped.models),
    span_type: new Set(),
    evaluation_type: new Set(),
  };
  const ofSpans = labels.filter(({ spanType }) => spanType !== "evaluation");
  for (const { agent, model } of ofSpans) {
    found.agent.add(agent);
    found.model.add(model);
  }
  for (const { spanType, evaluationType } of labels) {
    found.span_type.add(spanType);
    found.evaluation_type.add(evaluationType);
  }
  // A trace of evaluations only takes service and env from them.
  for (const { service, env } of ofSpans.length > 0 ? ofSpans : labels) {
    found.service.add(service);
    found.env.add(env);
  }
  const listed = (field: ValueField): string[] => [...found[field]].filter((value) => value !== "");
  return {
    tenant,
    status,
    hasEvaluation,
    service: listed("service"),
    env: listed("env"),
    agent: listed("agent"),
    model: listed("model"),
    span_type: listed("span_type"),
    evaluation_type: listed("evaluation_type"),
  };
}
