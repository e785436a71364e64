import { createHttpClient, telemetry } from "./http-client.js";
import { pause } from "./until.js";

/** Options of {@link startLoad}. */
export interface LoadOptions {
  readonly connections: number;
  readonly spansPerBatch: number;
}

/** The responses that the clients received. */
export interface LoadCounts {
  /** Responses by status. */
  readonly responses: Readonly<Record<number, number>>;
  /** Errors by status and code: `503 shutting_down`. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Spans of batches that were answered 202. */
  readonly acceptedSpans: number;
  /** Requests without a response: the connection was refused or closed. */
  readonly unanswered: number;
}

/** Running clients. */
export interface Load {
  counts(): LoadCounts;
  /** Stops after the requests in progress. */
  stop(): Promise<LoadCounts>;
}

/** Pause after a refused or closed connection, so that clients do not spin while the collector is down. */
const RECONNECT_MS = 50;

/** Sends batches on each connection, the next one after each response, until it is stopped. */
export function startLoad(url: string, { connections, spansPerBatch }: LoadOptions): Load {
  const client = createHttpClient(url, connections);
  const responses: Record<number, number> = {};
  const refusals: Record<string, number> = {};
  let acceptedSpans = 0;
  let unanswered = 0;
  let sent = 0;
  let stopped = false;

  async function sendOn(connection: number): Promise<void> {
    while (!stopped) {
      const traceId = `load-${connection}-${sent++}`;
      const spans = Array.from({ length: spansPerBatch }, () => SPAN(traceId));
      try {
        const { status, body } = await client.send(telemetry({ service: "load", spans })).answer;
        responses[status] = (responses[status] ?? 0) + 1;
        if (status === 202) acceptedSpans += spansPerBatch;
        else count(refusals, `${status} ${errorCode(body)}`);
      } catch {
        unanswered += 1;
        await pause(RECONNECT_MS);
      }
    }
  }

  const senders = Promise.all(Array.from({ length: connections }, (_, index) => sendOn(index)));
  const counts = (): LoadCounts => ({
    responses: { ...responses },
    refusals: { ...refusals },
    acceptedSpans,
    unanswered,
  });
  return {
    counts,
    async stop() {
      stopped = true;
      await senders;
      client.close();
      return counts();
    },
  };
}

const SPAN = (traceId: string) => ({
  name: "chat",
  span_type: "llm",
  trace_id: traceId,
  duration_ms: 12.5,
  attributes: { model: "gpt-5-mini", tokens_input: 100, tokens_output: 20, prompt_text: "x".repeat(200) },
});

function errorCode(body: string): string {
  const { error } = JSON.parse(body) as { error: { code: string } };
  return error.code;
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
