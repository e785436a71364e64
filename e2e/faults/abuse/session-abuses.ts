import { expect } from "vitest";
import { rawRequest, sendRequests, type RawRequest } from "../../harness/raw-requests.js";
import { until } from "../../harness/until.js";
import type { Abuse, AbuseContext } from "./abuse.js";

const JSON_BODY = { "Content-Type": "application/json" };
/** Traces in a request. */
const BATCH = 500;
/** Ids that mean something to a path, to SQL, to a terminal or to JSON. */
const HOSTILE_IDS = [
  "a/b?c=d#e",
  "%2e%2e",
  "__proto__",
  "'; DROP TABLE trace; --",
  "\u0000",
  "\ud800",
  "\u202ertl",
  "👩‍👩‍👧".repeat(30),
  "x".repeat(256),
];

/** Stores traces of one span, each in the session of its number. */
async function store({ port }: AbuseContext, count: number, sessionOf: (n: number) => string): Promise<void> {
  const bodies: RawRequest[] = [];
  for (let from = 0; from < count; from += BATCH) {
    const spans = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => {
      const n = from + index;
      const session = sessionOf(n);
      return {
        name: "turn",
        trace_id: `${session.length}-${n}-${sessionOf(0).length}`,
        span_id: "root",
        start_time: 1_790_000_000_000 + n * 1000,
        duration_ms: 900,
        attributes: { session_id: session, input_text: "Where is it?", output_text: "In Lyon." },
      };
    });
    const body = [Buffer.from(JSON.stringify({ service: "support", spans }))];
    bodies.push(rawRequest({ path: "/v1/telemetry", headers: JSON_BODY, body }));
  }
  for (const { status } of await sendRequests(port, bodies, 1)) expect(status).toBe(202);
}

/** Many sessions, one long session, and hostile ids; lists and pages of them, many at once. */
export const SESSION_ABUSES: readonly Abuse[] = [
  {
    name: "50 lists of many sessions, and pages of a long one",
    settings: { LIMITS_MAX_TRACES: "200000" },
    async prepare(context) {
      const { port, size, note, collector } = context;
      const long = size(1500, 50_000);
      await store(context, size(2000, 100_000), (n) => `s${n}`);
      await store(context, long, () => "the long session");
      await store(context, HOSTILE_IDS.length, (n) => HOSTILE_IDS[n] ?? "");
      const path = "/v1/sessions/the%20long%20session?limit=1";
      await until("the long session is stored", async () => {
        const response = await fetch(collector.url + path);
        return response.ok ? true : undefined;
      });
      return async () => {
        const paths = Array.from({ length: 50 }, (_, n) => [
          `/v1/sessions?limit=100&order=${["newest", "slowest", "costliest"][n % 3]}&min_duration_ms=${n}`,
          `/v1/sessions/the%20long%20session?limit=100&order=${n % 2 === 0 ? "newest" : "oldest"}`,
          `/v1/sessions/${encodeURIComponent((HOSTILE_IDS[n % HOSTILE_IDS.length] ?? "").toWellFormed())}`,
        ]).flat();
        const responses = await sendRequests(
          port,
          paths.map((each) => rawRequest({ path: each })),
          50,
        );
        note(responses);
        // A lone surrogate cannot stand in a URL.
        const failed = responses.filter(({ status }) => status !== 200 && status !== 404);
        expect(failed.map(({ start }) => start)).toEqual([]);
      };
    },
    async holds({ collector }) {
      const response = await fetch(`${collector.url}/v1/sessions?limit=5`);
      const { sessions } = (await response.json()) as { sessions: readonly unknown[] };
      expect(sessions).toHaveLength(5);
    },
  },
];
