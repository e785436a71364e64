import { TupleParam } from "@clickhouse/client";
import type { TraceKey } from "../../interfaces.js";

/** The columns of a table with the key of a trace. */
export interface KeyColumns {
  readonly tenant: string;
  readonly trace_id: string;
}

/** The key that a row has. */
export function keyOf({ tenant, trace_id: traceId }: KeyColumns): TraceKey {
  return { tenant, traceId };
}

/** A condition on the rows of some traces, with the parameter `keys`; see {@link keysParameter}. */
export const OF_KEYS = "(tenant, trace_id) IN {keys:Array(Tuple(String, String))}";

/** Traces that one statement deletes: its parameters are a part of the URL, unlike those of a query, which may have 1 MiB in all. */
export const KEYS_PER_DELETE = 100;

/** The keys of traces as a parameter. */
export function keysParameter(keys: readonly TraceKey[]): readonly TupleParam[] {
  return keys.map(({ tenant, traceId }) => new TupleParam([tenant, traceId]));
}
