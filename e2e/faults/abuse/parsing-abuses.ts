import { expect } from "vitest";
import { gzippedBatch } from "../../harness/gzipped-batches.js";
import {
  rawRequest,
  sendAsRetryAfterSays,
  sendRequest,
  sendRequests,
  type RawRequest,
} from "../../harness/raw-requests.js";
import { pause } from "../../harness/until.js";
import type { Abuse, AbuseContext } from "./abuse.js";

const MEBIBYTE = 1024 * 1024;
/** The default of `limits.max_body_bytes`. */
const BODY = 10 * MEBIBYTE;
const LINES = { "Content-Type": "application/jsonl" };

/** Sends the same bodies several times; none may get a 5xx. */
function bodies(
  name: string,
  make: () => readonly RawRequest[],
  [bounded, whole]: readonly [number, number],
): Abuse {
  return {
    name,
    prepare({ port, size, note }) {
      const requests = make();
      return async () => {
        const responses = await sendRequests(
          port,
          Array.from({ length: size(bounded, whole) }, () => requests).flat(),
          4,
        );
        note(responses);
        expect(responses.filter(({ status }) => status >= 500 || status === 0)).toEqual([]);
      };
    },
  };
}

function spaced(start: string, piece: string, bytes: number, end: string): string {
  return start + piece.repeat(Math.floor((bytes - start.length - end.length) / piece.length)) + end;
}

/** An OTLP request with one exported Obspan span with these attributes. */
function ownSpan(
  traceId: string,
  attributes: Readonly<Record<string, string | readonly string[]>>,
): RawRequest {
  const all: Readonly<Record<string, string | readonly string[]>> = {
    "obspan.span_type": "llm",
    "obspan.trace_id": traceId,
    ...attributes,
  };
  const entries = Object.entries(all).map(([key, value]) => ({
    key,
    value:
      typeof value === "string"
        ? { stringValue: value }
        : { arrayValue: { values: value.map((text) => ({ stringValue: text })) } },
  }));
  const span = {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: Math.random().toString(16).slice(2).padEnd(16, "0").slice(0, 16),
    name: "own",
    startTimeUnixNano: "1700000000000000000",
    endTimeUnixNano: "1700000001000000000",
    attributes: entries,
  };
  return gzippedBatch(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }), "/v1/traces");
}

/** Expects that all readers of traces still answer, and that an export has all traces. */
async function everythingCanBeRead({ port, storedTraces }: AbuseContext): Promise<void> {
  for (const path of ["/v1/traces?limit=1000", "/v1/facets", "/v1/traces/run-0", "/metrics"]) {
    const { status, bytes } = await sendRequest(port, rawRequest({ path }));
    expect({ path, status }).toEqual({ path, status: 200 });
    expect({ path, isSmall: bytes < 20 * MEBIBYTE }).toEqual({ path, isSmall: true });
  }
  const response = await fetch(`http://127.0.0.1:${port}/v1/export`);
  const traces = new Set((await response.text()).match(/"run-\d+"/g));
  expect(traces.size).toBe(storedTraces);
}

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

/** Bodies that are small in transit and large or slow to read. */
export const PARSING_ABUSES: readonly Abuse[] = [
  bodies(
    "JSON of brackets only",
    () => [
      gzippedBatch(spaced("[", "[],", BODY, "[]]")),
      gzippedBatch(spaced('{"spans":[', "[],", BODY, "[]]}")),
      gzippedBatch(spaced('{"spans":[', "{},", BODY, "{}]}")),
      gzippedBatch(spaced("", "[", BODY, "")),
      gzippedBatch(spaced("", '{"a":', BODY, "")),
      gzippedBatch(spaced('{"resourceSpans":[', "{},", BODY, "{}]}"), "/v1/traces"),
    ],
    [1, 10],
  ),
  {
    name: "import lines of 40 MB of brackets only",
    prepare({ port, size, note }) {
      const line = Buffer.from(spaced("[", "[],", 4 * BODY - 100, "[]]\n"));
      const request = rawRequest({ path: "/v1/import", headers: LINES, body: [line] });
      return async () => {
        // Two such lines at once exceed the share of imports in limits.max_in_flight_bytes.
        const imports = Array.from({ length: size(1, 4) }, () => sendAsRetryAfterSays(port, request));
        const responses = await Promise.all(imports);
        note(responses.flat());
        expect(responses.map((ofImport) => ofImport.at(-1)?.status)).toEqual(responses.map(() => 413));
      };
    },
  },
  {
    ...bodies(
      "JSON texts in attributes, nested deeper than a body may be",
      () =>
        [500, 6000, 100_000].map((depth) =>
          ownSpan(`deep-${depth}`, { "obspan.json_keys": ["deep"], deep: nested(depth) }),
        ),
      [1, 10],
    ),
    holds: everythingCanBeRead,
  },
  {
    name: "exported OTLP spans with trace ids of 9 MB",
    prepare({ port, size, note }) {
      const requests = Array.from({ length: size(4, 35) }, (_, n) =>
        ownSpan(`${n}${"i".repeat(9_000_000)}`, {}),
      );
      return async () => note(await sendRequests(port, requests, 2));
    },
    holds: everythingCanBeRead,
  },
  {
    name: "220,000 messages in one attribute",
    prepare({ port, size, note }) {
      const messages = Array.from({ length: size(100_000, 220_000) }, () => ({ role: "user", content: "?" }));
      const spans = [
        { name: "chat", span_type: "llm", trace_id: "many", attributes: { prompt_messages: messages } },
      ];
      const requests = [
        gzippedBatch(JSON.stringify({ spans })),
        ownSpan("many-own", { "gen_ai.input.messages": JSON.stringify(messages) }),
        conventionalSpan(JSON.stringify(messages)),
        // A list of conversations, as LangChain sends it.
        conventionalSpan(JSON.stringify([messages])),
      ];
      return async () => {
        const responses = await sendRequests(
          port,
          Array.from({ length: size(1, 5) }, () => requests).flat(),
          2,
        );
        note(responses);
        expect(responses.filter(({ status }) => status >= 500 || status === 0)).toEqual([]);
        await pause(500);
      };
    },
    holds: everythingCanBeRead,
  },
  {
    ...bodies(
      "conversations with an attribute for each message, in hundreds of spans",
      () => [indexedSpans(200, 1500), indexedOtlpSpans(8, 19_000)],
      [1, 5],
    ),
    holds: everythingCanBeRead,
  },
  {
    name: "trace ids with control characters, with exemplars",
    settings: { EXEMPLARS_ENABLED: "true" },
    prepare({ port, note }) {
      const ids = [
        "a\u0000b",
        "a\u0001b",
        "a\rb",
        "a\nb",
        "a\tb",
        "a\u007fb",
        "a\u0085b",
        "a\u2028b",
        'a"\\b',
      ];
      // Each in a bucket of its own: a bucket shows the last.
      const durationsMs = [5, 30, 80, 200, 400, 900, 1900, 4000, 9000];
      const spans = ids.map((trace_id, at) => ({
        name: "chat",
        span_type: "llm",
        trace_id,
        duration_ms: durationsMs[at],
        attributes: { model: "control", tokens_input: 5, tokens_output: 5 },
      }));
      const requests = spans.map((span) => gzippedBatch(JSON.stringify({ spans: [span] })));
      return async () => {
        note(await sendRequests(port, requests, 1));
        await pause(300);
      };
    },
    async holds({ port }) {
      const headers = { Accept: "application/openmetrics-text; version=1.0.0" };
      const page = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
      // Prometheus refuses a whole page with such a line.
      expect(page.split("\n").filter((line) => /[\x00-\x09\x0b-\x1f\x7f]/.test(line))).toEqual([]);
      for (const exemplar of page.match(/# \{trace_id=[^\n]*/g) ?? [])
        expect(exemplar).toMatch(/^# \{trace_id="(?:[^"\\]|\\["\\n])*"\} [\d.e+-]+ [\d.]+$/);
      expect(page.endsWith("# EOF\n")).toBe(true);
    },
  },
];

/** Spans that the SDK passes on from OpenTelemetry, with an attribute for each of so many messages. */
function indexedSpans(spans: number, messages: number): RawRequest {
  const keys = Array.from({ length: messages }, (_, index) => `gen_ai.prompt.${index}.content`);
  const attributes = Object.fromEntries(keys.map((key) => [key, "?"]));
  const span = { name: "chat", trace_id: "indexed", span_type: "otel:span", attributes };
  return gzippedBatch(JSON.stringify({ spans: new Array<object>(spans).fill(span) }));
}

/** The same over OTLP. */
function indexedOtlpSpans(spans: number, messages: number): RawRequest {
  const attributes = Array.from({ length: messages }, (_, index) => ({
    key: `gen_ai.prompt.${index}.content`,
    value: { stringValue: "?" },
  }));
  const traceId = "2af7651916cd43dd8448eb211c80319c";
  const ofRequest = Array.from({ length: spans }, (_, index) => {
    return { traceId, spanId: `123456781234567${index}`, name: "chat", attributes };
  });
  return gzippedBatch(
    JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: ofRequest }] }] }),
    "/v1/traces",
  );
}

function conventionalSpan(messages: string): RawRequest {
  const span = {
    traceId: "1af7651916cd43dd8448eb211c80319c",
    spanId: "1234567812345678",
    name: "chat gpt-5",
    startTimeUnixNano: "1700000000000000000",
    endTimeUnixNano: "1700000001000000000",
    attributes: [
      { key: "gen_ai.operation.name", value: { stringValue: "chat" } },
      { key: "gen_ai.input.messages", value: { stringValue: messages } },
    ],
  };
  return gzippedBatch(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }), "/v1/traces");
}
