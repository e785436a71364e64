import type { Facets } from "../contract/trace.js";
import type { ValueField } from "./trace-values.js";

/** Values that a facet shows. */
const MAX_VALUES = 200;

interface Count {
  count: number;
  /** The trace that was counted last. */
  trace: number;
}

/** Counts how many traces have which value. */
export class FacetCounter {
  #total = 0;
  readonly #counts = {
    service: new Map<string, Count>(),
    env: new Map<string, Count>(),
    agent: new Map<string, Count>(),
    model: new Map<string, Count>(),
    status: new Map<string, Count>(),
    span_type: new Map<string, Count>(),
    tenant: new Map<string, Count>(),
  };

  /** Starts with the next trace. */
  nextTrace(): void {
    this.#total++;
  }

  /** Counts a value of the current trace, once. Absent ones are `""` and count nowhere. */
  add(field: ValueField | "status" | "tenant", value: string): void {
    if (value === "") return;
    const entry = this.#counts[field].get(value);
    if (entry === undefined) {
      this.#counts[field].set(value, { count: 1, trace: this.#total });
    } else if (entry.trace !== this.#total) {
      entry.count++;
      entry.trace = this.#total;
    }
  }

  /** The most frequent values of each field, ties by name. */
  toFacets(): Facets {
    return {
      total: this.#total,
      service: mostFrequent(this.#counts.service),
      env: mostFrequent(this.#counts.env),
      agent: mostFrequent(this.#counts.agent),
      model: mostFrequent(this.#counts.model),
      status: mostFrequent(this.#counts.status),
      span_type: mostFrequent(this.#counts.span_type),
      tenant: mostFrequent(this.#counts.tenant),
    };
  }
}

function mostFrequent(counts: ReadonlyMap<string, Count>): { value: string; count: number }[] {
  return [...counts]
    .map(([value, { count }]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, MAX_VALUES);
}
