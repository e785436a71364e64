import { TupleParam } from "@clickhouse/client";
import type { TraceKey } from "../../interfaces.js";

/** A condition on the rows of some traces, with the parameter `keys`; see {@link keysParameter}. */
export const OF_KEYS = "(tenant, trace_id) IN {keys:Array(Tuple(String, String))}";

/** The keys of traces as a parameter. */
export function keysParameter(keys: readonly TraceKey[]): readonly TupleParam[] {
  return keys.map(({ tenant, traceId }) => new TupleParam([tenant, traceId]));
}
