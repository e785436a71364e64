import type { FacetField, Facets } from "../../api-schema/trace.js";
import type { TimeSlice } from "../../runtime/time-slice.js";
import { finiteSum } from "../../span/finite-sum.js";
import { costSourceOf } from "./cost-source.js";
import { MostFrequent } from "./most-frequent.js";
import type { TraceValues } from "./trace-values.js";

/** Values per facet. */
const MAX_VALUES = 200;
/** Entries counted between two checks of the clock. */
const ENTRIES_PER_CHECK = 64;

/** Counts the traces of each value. */
export class FacetCounter {
  #total = 0;
  #costUsd = 0;
  #hasComputedCost = false;
  readonly #contains: string;
  /** Many traces share their values, which are split into facets once at the end. */
  readonly #byValues = new Map<TraceValues, number>();

  /** @param contains - counts only values that contain this text, in any letter case. Default: all. */
  constructor(contains = "") {
    this.#contains = contains.toLowerCase();
  }

  /** Adds traces of the same values, with the sum of their costs. */
  add(values: TraceValues, traces: number, costUsd: number): void {
    this.#total += traces;
    this.#costUsd = finiteSum(this.#costUsd, costUsd);
    if (values.has.includes("computed_cost")) this.#hasComputedCost = true;
    count(this.#byValues, values, traces);
  }

  /** The most frequent values of each field, ties by name. Works in slices: every trace may have distinct values. */
  async toFacets(timeSlice: TimeSlice): Promise<Facets> {
    const distinct: Record<string, number> = {};
    const facetOf = async (field: FacetField, valuesOf: (values: TraceValues) => readonly string[]) => {
      const counts = new Map<string, number>();
      await eachInSlices(this.#byValues, timeSlice, ([values, traces]) => {
        for (const value of valuesOf(values)) count(counts, value, traces);
      });
      // Absent values are not counted.
      counts.delete("");
      const mostFrequent = new MostFrequent(MAX_VALUES);
      let values = 0;
      await eachInSlices(counts, timeSlice, ([value, traces]) => {
        if (this.#contains !== "" && !value.toLowerCase().includes(this.#contains)) return;
        values++;
        mostFrequent.add(value, traces);
      });
      distinct[field] = values;
      return [...mostFrequent.entries];
    };
    return {
      total: this.#total,
      cost_usd: this.#costUsd,
      cost_source: costSourceOf(this.#costUsd, this.#hasComputedCost),
      service: await facetOf("service", ({ service }) => service),
      env: await facetOf("env", ({ env }) => env),
      agent: await facetOf("agent", ({ agent }) => agent),
      model: await facetOf("model", ({ model }) => model),
      status: await facetOf("status", ({ status }) => [status]),
      span_type: await facetOf("span_type", (values) => values.span_type),
      evaluation_type: await facetOf("evaluation_type", (values) => values.evaluation_type),
      tenant: await facetOf("tenant", ({ tenant }) => [tenant]),
      version: await facetOf("version", ({ version }) => version),
      provider: await facetOf("provider", ({ provider }) => provider),
      tool: await facetOf("tool", ({ tool }) => tool),
      prompt: await facetOf("prompt", ({ prompt }) => prompt),
      error_type: await facetOf("error_type", (values) => values.error_type),
      distinct,
    };
  }
}

async function eachInSlices<T>(
  items: Iterable<T>,
  timeSlice: TimeSlice,
  visit: (item: T) => void,
): Promise<void> {
  let visited = 0;
  for (const item of items) {
    visit(item);
    if (++visited % ENTRIES_PER_CHECK === 0 && timeSlice.isOver()) await timeSlice.next();
  }
}

function count<T>(counts: Map<T, number>, value: T, traces: number): void {
  counts.set(value, (counts.get(value) ?? 0) + traces);
}
