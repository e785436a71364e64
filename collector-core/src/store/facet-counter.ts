import type { Facets } from "../contract/trace.js";
import type { TraceBlock } from "./trace-block.js";
import type { TraceValues } from "./trace-values.js";

/** Values that a facet shows. */
const MAX_VALUES = 200;

/** Counts how many traces have which value. */
export class FacetCounter {
  #total = 0;
  #costUsd = 0;
  /** Traces share their values: each is taken apart once, at the end. */
  readonly #byValues = new Map<TraceValues, number>();

  add(block: TraceBlock, slot: number): void {
    this.#total++;
    this.#costUsd += block.costUsd(slot);
    count(this.#byValues, block.values(slot), 1);
  }

  /** The most frequent values of each field, ties by name. */
  toFacets(): Facets {
    const facetOf = (valuesOf: (values: TraceValues) => readonly string[]) => {
      const counts = new Map<string, number>();
      for (const [values, traces] of this.#byValues)
        for (const value of valuesOf(values)) count(counts, value, traces);
      return mostFrequent(counts);
    };
    return {
      total: this.#total,
      cost_usd: this.#costUsd,
      service: facetOf(({ service }) => service),
      env: facetOf(({ env }) => env),
      agent: facetOf(({ agent }) => agent),
      model: facetOf(({ model }) => model),
      status: facetOf(({ status }) => [status]),
      span_type: facetOf((values) => values.span_type),
      evaluation_type: facetOf((values) => values.evaluation_type),
      tenant: facetOf(({ tenant }) => [tenant]),
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
