import type { Facets } from "../contract/trace.js";
import type { TraceFacts } from "./trace-facts.js";
import type { TraceValues, ValueField } from "./trace-values.js";

/** Values that a facet shows. */
const MAX_VALUES = 200;

/** Counts how many traces have which value. */
export class FacetCounter {
  #total = 0;
  #costUsd = 0;
  /** Traces share their values: each is taken apart once, at the end. */
  readonly #byValues = new Map<TraceValues, number>();
  readonly #statuses = new Map<string, number>();
  readonly #tenants = new Map<string, number>();

  add(tenant: string, facts: TraceFacts): void {
    this.#total++;
    this.#costUsd += facts.costUsd;
    count(this.#byValues, facts.values, 1);
    count(this.#statuses, facts.status, 1);
    count(this.#tenants, tenant, 1);
  }

  /** The most frequent values of each field, ties by name. */
  toFacets(): Facets {
    const facetOf = (field: ValueField): Facets[ValueField] => {
      const counts = new Map<string, number>();
      for (const [values, traces] of this.#byValues)
        for (const value of values[field]) count(counts, value, traces);
      return mostFrequent(counts);
    };
    return {
      total: this.#total,
      cost_usd: this.#costUsd,
      service: facetOf("service"),
      env: facetOf("env"),
      agent: facetOf("agent"),
      model: facetOf("model"),
      status: mostFrequent(this.#statuses),
      span_type: facetOf("span_type"),
      evaluation_type: facetOf("evaluation_type"),
      tenant: mostFrequent(this.#tenants),
    };
  }
}

function count<T>(counts: Map<T, number>, value: T, traces: number): void {
  counts.set(value, (counts.get(value) ?? 0) + traces);
}

/** An absent value is `""` and counts nowhere. */
function mostFrequent(counts: ReadonlyMap<string, number>): { value: string; count: number }[] {
  return [...counts]
    .filter(([value]) => value !== "")
    .map(([value, traces]) => ({ value, count: traces }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_VALUES);
}
