import type { Settings } from "../harness/built-collector.js";
import { collectorHere } from "../harness/collector-here.js";
import { clientForTest, telemetry, type Answer } from "../harness/http-client.js";
import { ledgerAtRest } from "../harness/ledger.js";
import { scrape, type Scrape } from "../harness/scrape.js";

/** A span as the API returns it. */
export interface StoredSpan {
  readonly name: string;
  readonly span_type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A collector of this process or of another one. */
interface Running {
  readonly url: string;
}

/** A collector, with the requests that the tests use. */
export interface Conversation {
  readonly collector: Running;
  /** Posts a batch, as text or as a value that becomes JSON. */
  post(batch: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Scrapes /metrics once all spans are processed. */
  metrics(): Promise<Scrape>;
  spansOf(traceId: string): Promise<readonly StoredSpan[]>;
  traceIds(query?: string): Promise<readonly string[]>;
}

/** Starts a collector in this process for one test. At its end, the collector does not wait long for a judge that hangs. */
export async function conversation(settings: Settings = {}): Promise<Conversation> {
  return conversationWith(await collectorHere({ SHUTDOWN_GRACE_PERIOD_SECONDS: "1", ...settings }));
}

/** A conversation of one test with a collector that runs. */
export function conversationWith(collector: Running): Conversation {
  const client = clientForTest(collector.url, 4);
  const get = (path: string) => client.send({ path }).answer;
  return {
    collector,
    post: (batch, headers) => client.send(telemetry(batch, headers)).answer,
    get,
    async metrics() {
      await ledgerAtRest(collector.url);
      return await scrape(collector.url);
    },
    async spansOf(traceId) {
      await ledgerAtRest(collector.url);
      return (JSON.parse((await get(`/v1/traces/${traceId}`)).body) as { spans: StoredSpan[] }).spans;
    },
    async traceIds(query = "limit=1000") {
      await ledgerAtRest(collector.url);
      const { traces } = JSON.parse((await get(`/v1/traces?${query}`)).body) as {
        traces: { trace_id: string }[];
      };
      return traces.map(({ trace_id: id }) => id);
    },
  };
}

/** A span of a model call. */
export const span = (traceId: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  name: "chat",
  span_type: "llm",
  trace_id: traceId,
  status: "OK",
  duration_ms: 120.5,
  ...fields,
});

export const batch = (...spans: readonly unknown[]) => ({
  service: "shop",
  env: "test",
  version: "1.2.3",
  spans,
});

export const errorCode = ({ body }: Answer): unknown =>
  (JSON.parse(body) as { error: { code: unknown } }).error.code;
