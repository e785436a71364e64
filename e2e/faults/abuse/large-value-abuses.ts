import { expect } from "vitest";
import { freePort } from "../../../collector-core/test/free-port.js";
import { createGzippedBatches, gzippedBatch } from "../../harness/gzipped-batches.js";
import { rawRequest, sendRequest, sendRequests } from "../../harness/raw-requests.js";
import { until } from "../../harness/until.js";
import type { Abuse } from "./abuse.js";
import { toolCall } from "./mcp-abuses.js";

const LARGE = "x".repeat(9_900_000);

/** Sends a different value of ten megabytes each time where a short name is expected. */
function largeValues(
  name: string,
  start: (n: number) => string,
  end: string,
  more: Partial<Abuse> = {},
): Abuse {
  return {
    name,
    prepare({ port, size, note }) {
      const batch = createGzippedBatches(LARGE + end);
      const requests = Array.from({ length: size(4, 410) }, (_, n) => batch(start(n)));
      return async () => note(await sendRequests(port, requests, 2));
    },
    ...more,
  };
}

const LABELS = ["model", "agent", "span_type", "status", "env", "version", "tool_name", "provider"] as const;

/** The JSON of a span up to the text of one of its labels. */
function upToLabel(n: number): string {
  const label = LABELS[n % LABELS.length] ?? "model";
  const span = `"name":"chat","trace_id":"large-${n}"`;
  if (label === "env" || label === "version") return `{"spans":[{${span}}],"${label}":"${n}`;
  if (label === "span_type" || label === "status")
    return `{"spans":[{${span},"attributes":{},"${label}":"${n}`;
  return `{"spans":[{${span},"span_type":"llm","attributes":{"${label}":"${n}`;
}

/** Sends large values in each of the labels. */
function largeLabels(): Abuse {
  return {
    name: "labels of 10 MB",
    prepare({ port, size, note }) {
      const ends: Readonly<Record<string, string>> = {
        env: '"}',
        version: '"}',
        span_type: '"}]}',
        status: '"}]}',
      };
      const batches = LABELS.map((label) => createGzippedBatches(`${LARGE}${ends[label] ?? '"}}]}'}`));
      const requests = Array.from({ length: size(LABELS.length, 410) }, (_, n) =>
        batches[n % LABELS.length]?.(upToLabel(n)),
      ).filter((each) => each !== undefined);
      return async () => note(await sendRequests(port, requests, 2));
    },
  };
}

/** 90 spans of a prompt of 100 KB. */
function promptBatch(traceId: string) {
  const prompt = "What is on the invoice? ".repeat(4200);
  const spans = Array.from({ length: 90 }, () => ({
    name: "chat",
    span_type: "llm",
    trace_id: traceId,
    duration_ms: 5,
    attributes: { prompt_text: prompt, session_id: traceId },
  }));
  return gzippedBatch(JSON.stringify({ service: "prompts", spans }));
}

/** Large texts, of which the collector may only keep a part. */
export const LARGE_VALUE_ABUSES: readonly Abuse[] = [
  largeValues(
    "service names of 10 MB",
    (n) => `{"spans":[{"name":"a","trace_id":"t${n}"}],"service":"${n}`,
    '"}',
  ),
  largeLabels(),
  largeValues("refused requests with service names of 10 MB", (n) => `{"spans":[{}],"service":"${n}`, '"}', {
    settings: { RATE_LIMIT_ENABLED: "true", RATE_LIMIT_PER_IP_RPM: "100000" },
  }),
  largeValues("trace ids of 10 MB", (n) => `{"spans":[{"name":"a","trace_id":"${n}`, '"}]}'),
  largeValues(
    "evaluations with a type of 10 MB",
    (n) =>
      `{"spans":[{"name":"evaluation","span_type":"evaluation","trace_id":"run-1","attributes":{"evaluation_score":1,"evaluation_type":"${n}`,
    '"}}]}',
  ),
  largeValues(
    "evaluations with a label of 10 MB",
    (n) =>
      `{"spans":[{"name":"evaluation","span_type":"evaluation","trace_id":"run-1","attributes":{"evaluation_type":"quality","evaluation_score":1,"evaluation_label":"${n}`,
    '"}}]}',
  ),
  {
    name: "prompts of 100 KB while the OTLP receiver is down",
    async prepare({ port, size, note }) {
      const requests = Array.from({ length: size(8, 130) }, (_, n) => promptBatch(`prompts-${n}`));
      return async () => note(await sendRequests(port, requests, 2));
    },
    settings: { EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` },
  },
  {
    name: "files of the largest trace, in each format at once",
    async prepare({ port, size, note, collector }) {
      const batches = size(2, 5);
      const prompts = Array.from({ length: batches }, () => promptBatch("largest"));
      for (const { status } of await sendRequests(port, prompts, 1)) expect(status).toBe(202);
      await until("the trace is stored", async () => {
        const response = await fetch(`${collector.url}/v1/traces?trace_id=largest`);
        const { traces } = (await response.json()) as { traces: readonly { span_count: number }[] };
        return traces[0]?.span_count === batches * 90 || undefined;
      });
      return async () => {
        const files = [
          ...["html", "markdown", "html&raw=true", "jsonl"].map(
            (format) => `traces/largest/export?format=${format}`,
          ),
          ...["markdown", "jsonl"].map((format) => `sessions/largest/export?format=${format}`),
        ];
        const requests = Array.from({ length: size(6, 40) }, (_, n) =>
          rawRequest({ path: `/v1/${files[n % files.length]}` }),
        );
        const responses = await sendRequests(port, requests, 8);
        note(responses);
        // Busy is an answer too.
        expect(responses.every(({ status }) => status === 200 || status === 503)).toBe(true);
        expect(responses.some(({ status, bytes }) => status === 200 && bytes > 1_000_000)).toBe(true);
      };
    },
  },
  {
    name: "files, comparisons and contexts of a trace with four million tiny values",
    async prepare({ port, size, note, collector }) {
      const values = `${"1,".repeat(990_000)}1`;
      for (let n = 0; n < 4; n++) {
        const span = `{"name":"chat","span_type":"llm","trace_id":"tiny","span_id":"s${n}","attributes":{"model":"m","session_id":"tiny","prompt_messages":[${values}]}}`;
        expect((await sendRequest(port, gzippedBatch(`{"spans":[${span}]}`))).status).toBe(202);
      }
      await until("the trace is stored", async () => {
        const response = await fetch(`${collector.url}/v1/traces?trace_id=tiny`);
        const { traces } = (await response.json()) as { traces: readonly { span_count: number }[] };
        return traces[0]?.span_count === 4 || undefined;
      });
      return async () => {
        const requests = Array.from({ length: size(1, 10) }, () => [
          ...[
            "/v1/traces/tiny/export?format=html",
            "/v1/traces/tiny/export?format=markdown",
            "/v1/sessions/tiny/export?format=markdown",
            "/v1/compare?a=tiny&b=tiny",
            "/v1/traces/tiny/context/s3",
          ].map((path) => rawRequest({ path })),
          toolCall("get_trace", { trace_id: "tiny" }),
          toolCall("get_trace", { trace_id: "tiny", step: 1 }),
          toolCall("compare_traces", { a: "tiny", b: "tiny" }),
        ]).flat();
        const responses = await sendRequests(port, requests, 4);
        note(responses);
        expect(responses.every(({ status }) => [200, 400, 503].includes(status))).toBe(true);
        expect(responses.some(({ status }) => status === 200)).toBe(true);
      };
    },
  },
  {
    name: "an object with 20,000 addresses as keys, redacted",
    settings: { REDACTION_ENABLED: "true" },
    prepare({ port, size, note }) {
      const addresses = Object.fromEntries(
        Array.from({ length: size(10_000, 20_000) }, (_, n) => [`somebody.${n}@example.com`, n]),
      );
      const span = {
        name: "chat",
        span_type: "llm",
        trace_id: "keys",
        attributes: { input_text: "", addresses },
      };
      const request = gzippedBatch(JSON.stringify({ spans: [span] }));
      return async () => {
        note(
          await sendRequests(
            port,
            Array.from({ length: size(1, 4) }, () => request),
            2,
          ),
        );
        // Redaction has ended when the span can be read.
        await until("the span is stored", async () => {
          const { status } = await sendRequest(port, rawRequest({ path: "/v1/traces/keys" }));
          return status === 200 || undefined;
        });
      };
    },
  },
];
