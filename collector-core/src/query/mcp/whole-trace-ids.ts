import { ApiError } from "../../api-schema/errors.js";
import { idsBeginningWith, isShortId, LATEST, SHORT_ID_TRACES } from "../../api-schema/short-ids.js";
import type { TraceStore } from "../../interfaces.js";

/** Arguments of tools that name a trace. */
const NAMES = ["trace_id", "a", "b"];
/** Ids listed in an error. */
const MAX_NAMED = 5;

/**
 * Arguments with whole ids of traces: a user copies the beginning of one from a terminal, and says "the latest".
 * What begins no id stays, so that the tool says that there is no such trace.
 *
 * @throws `ApiError` invalid_query if several traces begin with a text.
 */
export async function withWholeTraceIds(
  args: Readonly<Record<string, unknown>>,
  store: TraceStore | undefined,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  if (store === undefined) return args;
  const whole = { ...args };
  for (const name of NAMES) {
    const { [name]: text, tenant } = args;
    if (typeof text === "string" && (text === LATEST || isShortId(text)))
      whole[name] = await wholeId(text, store, typeof tenant === "string" ? { tenant } : {}, signal);
  }
  return whole;
}

async function wholeId(
  text: string,
  store: TraceStore,
  filter: { readonly tenant?: string },
  signal: AbortSignal,
): Promise<string> {
  // Senders may give such an id to a trace.
  if ((await store.tenantsOf(text, signal)).length > 0) return text;
  const isLatest = text === LATEST;
  const { traces } = await store.list({ ...filter, limit: isLatest ? 1 : SHORT_ID_TRACES }, signal);
  const [id = text, ...others] = isLatest
    ? traces.map((trace) => trace.trace_id)
    : idsBeginningWith(text, traces);
  if (others.length === 0) return id;
  const named = [id, ...others].slice(0, MAX_NAMED).join(", ");
  throw new ApiError("invalid_query", `${others.length + 1} traces begin with ${text}: ${named}.`);
}
