import type { ChildProgram } from "./child-program.js";
import type { Answer, HttpClient, Outgoing, Sent } from "./http-client.js";
import { within } from "./until.js";

/** The result of a burst. */
export interface BurstOutcome {
  /** In the order of the requests. */
  readonly responses: readonly Answer[];
}

/**
 * Stops the collector (SIGSTOP) while many requests arrive, then continues it. It reads all of them in one turn of its event
 * loop. Between two requests its worker takes at most 256 spans, and none while fewer wait. With larger batches, or a
 * smaller queue, the queue fills.
 *
 * @param client - with one open connection for each request.
 * @param whileHeld - called when all requests are written. The collector sees a signal sent here after the requests.
 */
export async function burst(
  collector: ChildProgram,
  client: HttpClient,
  requests: readonly Outgoing[],
  whileHeld: () => void = () => undefined,
): Promise<BurstOutcome> {
  await client.openConnections();
  collector.signal("SIGSTOP");
  let sent: Sent[];
  try {
    sent = requests.map((each) => client.send(each));
    const written = Promise.all(sent.map((each) => each.written));
    await within("all requests are written", written, 10_000);
    whileHeld();
  } finally {
    collector.signal("SIGCONT");
  }
  return {
    responses: await within("all are answered", Promise.all(sent.map((each) => each.answer)), 30_000),
  };
}
