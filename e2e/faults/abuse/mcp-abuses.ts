import { connect } from "node:net";
import { expect } from "vitest";
import { rawRequest, sendRequests, type RawRequest } from "../../harness/raw-requests.js";
import { until } from "../../harness/until.js";
import type { Abuse, AbuseContext } from "./abuse.js";

const JSON_BODY = { "Content-Type": "application/json" };
const MESSAGE = { ...JSON_BODY, Accept: "application/json, text/event-stream" };
const START_MS = 1_790_000_000_000;
const BATCH = 500;
const LONG = "long-mcp";
const TEXTS = "texts-mcp";

async function store({ port, collector }: AbuseContext): Promise<void> {
  const spans = 10_000;
  const bodies: RawRequest[] = [];
  for (let from = 0; from < spans; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, n) => ({
      name: "poll",
      trace_id: LONG,
      span_id: `s${from + n}`,
      parent_span_id: from + n === 0 ? null : "s0",
      span_type: (from + n) % 2 === 0 ? "llm" : "tool",
      status: "ERROR",
      start_time: START_MS + from + n,
      duration_ms: 1,
      attributes: {
        model: "m",
        error_message: `failed ${from + n}`,
        input_text: String(n % 7),
        tokens_input: n,
      },
    }));
    bodies.push(
      rawRequest({
        path: "/v1/telemetry",
        headers: JSON_BODY,
        body: [Buffer.from(JSON.stringify({ spans: batch }))],
      }),
    );
  }
  const text = "A text of a million characters. ".repeat(31_250);
  const long = Array.from({ length: 6 }, (_, n) => ({
    name: "answer",
    trace_id: TEXTS,
    span_id: `s${n}`,
    span_type: "llm",
    start_time: START_MS + n,
    duration_ms: 1,
    attributes: { prompt_text: text, completion_text: `${n} ${text}` },
  }));
  for (const span of long)
    bodies.push(
      rawRequest({
        path: "/v1/telemetry",
        headers: JSON_BODY,
        body: [Buffer.from(JSON.stringify({ spans: [span] }))],
      }),
    );
  for (const { status } of await sendRequests(port, bodies, 1)) expect(status).toBe(202);
  await until("the traces are stored", async () => {
    const response = await fetch(`${collector.url}/v1/traces?trace_id=${LONG}`);
    const { traces } = (await response.json()) as { traces: readonly { span_count: number }[] };
    return traces[0]?.span_count === spans ? true : undefined;
  });
}

/** A call of a tool for coding agents. */
export function toolCall(name: string, args: object): RawRequest {
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });
  return rawRequest({ path: "/mcp", headers: MESSAGE, body: [Buffer.from(body)] });
}

/** Tools that read the largest traces, many at a time, by clients that do not read the answers. */
export const MCP_ABUSES: readonly Abuse[] = [
  {
    name: "tools for coding agents over a trace of 10,000 spans and texts of a million characters, and readers that never read",
    settings: { TRACE_STORE_MAX_SPANS_PER_TRACE: "200000" },
    async prepare(context) {
      const { port, size, note, afterwards } = context;
      await store(context);
      const calls = [
        toolCall("get_trace", { trace_id: LONG, max_tokens: 25_000 }),
        toolCall("explain_cost", { trace_id: LONG }),
        toolCall("explain_context", { trace_id: LONG }),
        toolCall("compare_traces", { a: LONG, b: TEXTS }),
        toolCall("list_errors", { limit: 100 }),
        toolCall("get_trace", { trace_id: TEXTS, max_tokens: 25_000 }),
        toolCall("get_trace", { trace_id: TEXTS, step: 1, offset: 900_000, max_tokens: 25_000 }),
        toolCall("search_traces", { limit: 100, max_tokens: 25_000 }),
      ];
      return async () => {
        for (let reader = 0; reader < size(10, 100); reader++) {
          const socket = connect(port, "127.0.0.1");
          socket.on("error", () => undefined);
          socket.pause();
          const body = JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "search_traces", arguments: { limit: 100, max_tokens: 25_000 } },
          });
          const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: ${MESSAGE.Accept}\r\n`;
          socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`.repeat(8));
          afterwards(() => void socket.destroy());
        }
        const list = Array.from({ length: 100 }, () => ({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
        const batch = rawRequest({
          path: "/mcp",
          headers: MESSAGE,
          body: [Buffer.from(JSON.stringify(list))],
        });
        const requests = Array.from({ length: size(24, 400) }, (_, n) => calls[n % calls.length] ?? batch);
        const responses = await sendRequests(port, [...requests, batch], 25);
        note(responses);
        const failed = responses.filter(({ status }) => ![200, 400, 503].includes(status));
        expect(failed.map(({ start }) => start)).toEqual([]);
        expect(responses.some(({ status }) => status === 200)).toBe(true);
      };
    },
    async holds({ collector }) {
      const response = await fetch(`${collector.url}/mcp`, {
        method: "POST",
        headers: MESSAGE,
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "get_trace", arguments: { trace_id: "run-0" } },
        }),
      });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain("untrusted-");
    },
  },
];
