import type { ChildProgram } from "./child-program.js";
import type { Answer, HttpClient, Outgoing, Sent } from "./http-client.js";
import { within } from "./until.js";

/** What a burst met. */
export interface BurstOutcome {
  /** In the order of the requests. */
  readonly answers: readonly Answer[];
}

/**
 * Holds the collector still (SIGSTOP) while many requests arrive, then lets it go. It finds all of them in one turn of
 * its event loop. Between two of them its worker takes 256 spans and no more, and none at all while fewer wait: with
 * batches of many more, or a queue of fewer, the queue fills. The collector has no switch to hold its worker.
 *
 * @param client - with as many connections as there are requests, all open.
 * @param whileHeld - done when all is written: a signal sent here is seen after the requests.
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
  return { answers: await within("all are answered", Promise.all(sent.map((each) => each.answer)), 30_000) };
}
