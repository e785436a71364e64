import { idsBeginningWith, isShortId, LATEST, SHORT_ID_TRACES } from "../api-schema/short-ids.js";
import type { TraceList } from "../api-schema/trace.js";
import type { CollectorClient } from "./collector-client.js";
import { CommandFailure, EXIT } from "./command-failure.js";

/** Help of the argument. */
export const TRACE_ID = "the id, the beginning of one as lists show it, or `latest`";

/** What is said of an empty store. */
export const NO_TRACE = "There is no trace yet. `obspan doctor` says why nothing arrives.";

/** The id of the trace that a user means. @throws CommandFailure if there is none, or several. */
export async function findTraceId(client: CollectorClient, text: string): Promise<string> {
  if (text === LATEST) {
    const { traces } = await client.get<TraceList>("/v1/traces", "traces", { limit: 1 });
    if (traces[0] === undefined) throw new CommandFailure(NO_TRACE, { exitCode: EXIT.nothing });
    return traces[0].trace_id;
  }
  if (!isShortId(text)) return text;
  const whole = await client.get<TraceList>("/v1/traces", "traces", { trace_id: text, limit: 1 });
  if (whole.traces.length > 0) return text;
  const { traces } = await client.get<TraceList>("/v1/traces", "traces", { limit: SHORT_ID_TRACES });
  const ids = idsBeginningWith(text, traces);
  const [id] = ids;
  if (id === undefined)
    throw new CommandFailure(
      `No trace has the id ${text}, and none of the newest ${SHORT_ID_TRACES} begins with it. \`obspan traces\` lists them.`,
      {
        exitCode: EXIT.nothing,
      },
    );
  if (ids.length > 1)
    throw new CommandFailure(`${ids.length} traces begin with ${text}: ${ids.slice(0, 5).join(", ")}.`, {
      exitCode: EXIT.usage,
    });
  return id;
}
