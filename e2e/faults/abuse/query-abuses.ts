import { request } from "node:http";
import { expect } from "vitest";
import { rawRequest, sendRequests, type RawRequest } from "../../harness/raw-requests.js";
import { pause, until } from "../../harness/until.js";
import type { Abuse, AbuseContext } from "./abuse.js";

/** Sends many requests at once, several times; each is answered 200. */
function manyQueries(name: string, atOnce: number, path: (n: number) => string): Abuse {
  return {
    name,
    prepare:
      ({ port, size, note }) =>
      async () => {
        const rounds = size(1, 5);
        const requests: RawRequest[] = Array.from({ length: atOnce * rounds }, (_, n) =>
          rawRequest({ path: path(n) }),
        );
        const responses = await sendRequests(port, requests, atOnce);
        note(responses);
        expect(responses.filter(({ status }) => status !== 200).map(({ start }) => start)).toEqual([]);
      },
  };
}

/** Readers of /v1/live that were disconnected at different times and resume at once. */
const LIVE_READERS = 280;
/** The hub sends changes five times a second. */
const STEP_MS = 200;
/** Longer than a line with the id of an event. */
const LONGEST_ID_LINE = 64;
/** Almost the largest number of traces that a reader receives at once. */
const CHANGING_TRACES = 240;

const resumingReaders: Abuse = {
  name: `${LIVE_READERS} live readers that resume at once`,
  async prepare(context) {
    const { port, size } = context;
    const run = await changeTraces(context, size(10, 290));
    return async () => {
      const readers = Array.from({ length: LIVE_READERS }, (_, n) => {
        const missed = 2 + (n % size(8, LIVE_READERS));
        const headers = { "Last-Event-ID": `${run.id}-${run.lastStep - missed}` };
        const reader = request({ port, host: "127.0.0.1", path: "/v1/live", headers, agent: false }).end();
        reader.on("error", () => undefined);
        const caughtUp = new Promise<void>((resolve) => {
          let tail = "";
          reader.on("response", (response) => {
            response.setEncoding("latin1");
            response.on("data", (text: string) => {
              // The first write has the id of the step that the reader resumes after.
              if (lastStepIn(tail + text, run.id) >= run.lastStep) resolve();
              tail = (tail + text).slice(-LONGEST_ID_LINE);
            });
          });
        });
        return { reader, caughtUp };
      });
      context.afterwards(() => {
        for (const { reader } of readers) reader.destroy();
      });
      await Promise.all(readers.map(({ caughtUp }) => caughtUp));
    };
  },
};

/** The number of the last step whose events a text contains; 0 without one. */
function lastStepIn(text: string, runId: string): number {
  const steps = [...text.matchAll(new RegExp(`^id: ${runId}-(\\d+)$`, "gm"))];
  return Number(steps.at(-1)?.[1] ?? 0);
}

/** Changes traces step by step. @returns the prefix of the event ids, and the last step. */
async function changeTraces(
  { collector, port }: AbuseContext,
  steps: number,
): Promise<{ readonly id: string; readonly lastStep: number }> {
  const batches = Array.from({ length: CHANGING_TRACES / 24 }, (_, batch) => {
    const spans = Array.from({ length: 24 }, (_, at) => ({
      name: "chat",
      span_type: "llm",
      trace_id: `run-${batch * 24 + at}`,
      span_id: "s1",
      attributes: { prompt_text: "What changed?" },
    }));
    const body = [Buffer.from(JSON.stringify({ service: "support", spans }))];
    return rawRequest({ path: "/v1/telemetry", headers: { "Content-Type": "application/json" }, body });
  });
  for (let step = 0; step < steps; step++) {
    const [startedAtMs, batch] = [performance.now(), batches[step % batches.length]];
    if (batch !== undefined) await sendRequests(port, [batch], 1);
    await pause(Math.max(0, STEP_MS + 20 - (performance.now() - startedAtMs)));
  }
  await pause(2 * STEP_MS);
  const response = await fetch(`${collector.url}/v1/live`);
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  const [, id, step] = /^id: (\w+)-(\d+)$/m.exec(Buffer.from(value ?? []).toString("latin1")) ?? [];
  if (id === undefined) throw new Error("The first event of /v1/live has no id.");
  return { id, lastStep: Number(step) };
}

/** Spans in a request. */
const BATCH = 500;

/** Values of a trace, as many as are read of it. */
const VALUES = 20;

/** An attribute, a session and a name that no two traces share. */
const groupsOfManyValues: Abuse = {
  name: "20 questions for groups of a million values",
  settings: { LIMITS_MAX_TRACES: "200000" },
  async prepare({ collector, port, size, note }) {
    const traces = size(1000, 50_000);
    for (let from = 0; from < traces; from += BATCH * 20) {
      const requests = Array.from({ length: Math.min(20, (traces - from) / BATCH) }, (_, request) => {
        const spans = Array.from({ length: BATCH }, (__, at) => {
          const n = from + request * BATCH + at;
          const numbers = Array.from({ length: VALUES }, (___, value) => n * VALUES + value);
          const attributes = { order: { numbers }, session_id: `s${n}` };
          return { name: `run ${n}`, trace_id: `value-${n}`, span_id: "s1", attributes };
        });
        const body = [Buffer.from(JSON.stringify({ service: "shop", spans }))];
        return rawRequest({ path: "/v1/telemetry", headers: { "Content-Type": "application/json" }, body });
      });
      for (const { status } of await sendRequests(port, requests, 1)) expect(status).toBe(202);
      await settled(collector.url);
    }
    return async () => {
      const keys = ["@order.numbers", "session", "name", "@absent"];
      const orders = ["runs", "p95", "value"];
      const requests = Array.from({ length: 20 }, (_, n) =>
        rawRequest({ path: `/v1/groups?by=${keys[n % 4]}&order=${orders[n % 3]}` }),
      );
      const responses = await sendRequests(port, requests, 20);
      note(responses);
      expect(responses.filter(({ status }) => status !== 200).map(({ start }) => start)).toEqual([]);
    };
  },
};

/** Resolves when the queue is empty. */
async function settled(url: string): Promise<void> {
  await until("the queue is empty", async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return /^obs_queue_size 0$/m.test(metrics) || undefined;
  });
}

/** Queries of pages, dashboards and scripts, many at once. */
export const QUERY_ABUSES: readonly Abuse[] = [
  {
    name: "no abuse, for comparison",
    prepare:
      ({ size }) =>
      () =>
        pause(size(200, 2000)),
  },
  manyQueries("100 facet requests at once", 100, (n) => `/v1/facets?min_duration_ms=${n % 100}`),
  manyQueries("100 histogram requests at once", 100, (n) => `/v1/histogram?min_duration_ms=${n % 100}`),
  manyQueries(
    "50 lists of 1,000 traces by duration",
    50,
    (n) => `/v1/traces?limit=1000&order=slowest&min_duration_ms=${n % 50}`,
  ),
  manyQueries(
    "50 text searches",
    50,
    (n) => `/v1/traces?limit=1000&order=slowest&q=invoice%20nr%20${n % 50}`,
  ),
  manyQueries("12 queries of 8 words and attributes", 12, (n) => {
    const words = Array.from(
      { length: 4 },
      (_, word) => `-absent${n % 12}-${word} -@metadata.key${word}:${n % 12}`,
    );
    return `/v1/traces?limit=1000&order=slowest&query=${encodeURIComponent(words.join(" "))}`;
  }),
  groupsOfManyValues,
  manyQueries("50 scrapes at once", 50, () => "/metrics"),
  manyQueries(
    "50 statistics requests at once",
    50,
    (n) => `/v1/stats?window=24h&step=60s&group_by=${n % 2 ? "model" : "agent"}`,
  ),
  resumingReaders,
];
