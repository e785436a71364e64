import type { SpanLabels } from "./span-labels.js";

/** What the spans of a trace say that it can be filtered and counted by. */
export type ValueField = "service" | "env" | "agent" | "model" | "span_type" | "evaluation_type";

/** What a trace has one of, and is filtered and counted by too. */
export interface SingleValues {
  readonly tenant: string;
  readonly status: string;
  readonly hasEvaluation: boolean;
}

/**
 * What any span of a trace says, since a trace may go through several services and agents: each value once, absent
 * ones not at all. Evaluations count only as a span type and by what they judged.
 */
export interface TraceValues extends SingleValues, Readonly<Record<ValueField, readonly string[]>> {}

/** What spans said that are no longer there. */
export interface DroppedValues {
  readonly models: Iterable<string>;
  readonly agent: string;
}

/** Different values of traces that are remembered; a few dozen is what apps have. */
const MAX_REMEMBERED = 4096;

/** Keeps equal values once: ten thousand traces of an app say the same few things, which are looked at once. */
export class TraceValuesTable {
  readonly #known = new Map<string, TraceValues>();

  /**
   * The values of a trace whose spans have these labels, each given once.
   *
   * @param dropped - with them the values are those of this trace alone.
   */
  of(labels: readonly SpanLabels[], single: SingleValues, dropped: DroppedValues | undefined): TraceValues {
    if (dropped !== undefined) return valuesOf(labels, single, dropped);
    const serials = labels.map(({ serial }) => serial).sort((a, b) => a - b);
    const { tenant, status, hasEvaluation } = single;
    const key = `${serials.join()}${hasEvaluation ? "+" : "-"}${status.length}:${status}${tenant}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // Serials are never given again, so what is forgotten here is no more than kept twice.
    if (this.#known.size === MAX_REMEMBERED) this.#known.clear();
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
  // Of nothing but evaluations, they say where they belong.
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
