import { TupleParam } from "@clickhouse/client";
import type { TraceKey } from "../../interfaces.js";
import type { Parameters } from "./long-lists.js";

/** A condition on the rows of a table, with its parameters. */
export interface SqlCondition {
  readonly sql: string;
  readonly parameters: Parameters;
}

/** Collects the parameters of a condition: no value is ever in its text. */
export class SqlParameters {
  /** The values by name, as a query takes them. */
  readonly values: Record<string, unknown> = {};
  readonly #prefix: string;
  #count = 0;

  /** @param prefix - of the names: two collections of one query have different ones. */
  constructor(prefix = "p") {
    this.#prefix = prefix;
  }

  text(value: string): string {
    return this.#add("String", value.toWellFormed());
  }

  texts(values: readonly string[]): string {
    return this.#add(
      "Array(String)",
      values.map((value) => value.toWellFormed()),
    );
  }

  /** A whole number. */
  integer(value: number): string {
    return this.#add("Int64", value);
  }

  number(value: number): string {
    return this.#add("Float64", value);
  }

  pairs(pairs: readonly (readonly [string, string])[]): string {
    return this.#add(
      "Array(Tuple(String, String))",
      pairs.map((pair) => new TupleParam(pair.map((text) => text.toWellFormed()))),
    );
  }

  /** The keys of traces, as a list of pairs. */
  keys(keys: readonly TraceKey[]): string {
    return this.pairs(keys.map(({ tenant, traceId }) => [tenant, traceId]));
  }

  /** The condition that a row is of one of these traces. */
  ofTraces(keys: readonly TraceKey[]): string {
    return `(tenant, trace_id) IN ${this.keys(keys)}`;
  }

  #add(type: string, value: unknown): string {
    const name = `${this.#prefix}${this.#count++}`;
    this.values[name] = value;
    return `{${name}:${type}}`;
  }
}
