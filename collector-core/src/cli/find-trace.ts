import type { TraceList } from "../api-schema/trace.js";
import type { CollectorClient } from "./collector-client.js";
import { CommandFailure, EXIT } from "./command-failure.js";

/** The newest traces, among which the beginning of an id is looked for. */
const SEARCHED = 1000;
const SHORT_ID = /^[0-9a-f]{4,31}$/i;

/** Help of the argument. */
export const TRACE_ID = "the id, the beginning of one as lists show it, or `latest`";

/** What is said of an empty store. */
export const NO_TRACE = "There is no trace yet. `obspan doctor` says why nothing arrives.";

/** The id of the trace that a user means. @throws CommandFailure if there is none, or several. */
export async function findTraceId(client: CollectorClient, text: string): Promise<string> {
  if (text === "latest") {
    const { traces } = await client.get<TraceList>("/v1/traces", "traces", { limit: 1 });
    if (traces[0] === undefined) throw new CommandFailure(NO_TRACE, { exitCode: EXIT.nothing });
    return traces[0].trace_id;
  }
  if (!SHORT_ID.test(text)) return text;
  const whole = await client.get<TraceList>("/v1/traces", "traces", { trace_id: text, limit: 1 });
  if (whole.traces.length > 0) return text;
  const { traces } = await client.get<TraceList>("/v1/traces", "traces", { limit: SEARCHED });
  const begin = text.toLowerCase();
  const ids = new Set(
    traces.map(({ trace_id: id }) => id).filter((id) => id.toLowerCase().startsWith(begin)),
  );
  const [id] = ids;
  if (id === undefined)
    throw new CommandFailure(
      `No trace has the id ${text}, and none of the newest ${SEARCHED} begins with it. \`obspan traces\` lists them.`,
      {
        exitCode: EXIT.nothing,
      },
    );
  if (ids.size > 1)
    throw new CommandFailure(`${ids.size} traces begin with ${text}: ${[...ids].slice(0, 5).join(", ")}.`, {
      exitCode: EXIT.usage,
    });
  return id;
}
