import { expect } from "vitest";
import { rawRequest, sendRequests } from "../../harness/raw-requests.js";
import { until } from "../../harness/until.js";
import type { Abuse } from "./abuse.js";

const JSON_BODY = { "Content-Type": "application/json" };
const START_MS = 1_790_000_000_000;
const PATH = "/v1/traces/contexts/context/";

/** Contexts that are expensive to read: calls of very many messages, one very long text, and an agent with very many calls. */
export const CONTEXT_ABUSES: readonly Abuse[] = [
  {
    name: "contexts of calls with very many messages, a long text and very many calls before",
    settings: { TRACE_STORE_MAX_SPANS_PER_TRACE: "200000" },
    async prepare({ port, size, note, collector }) {
      // The context of a span with more than 250,000 values is not read.
      const messages = Array.from({ length: size(2500, 80_000) }, (_, n) => ({
        role: "user",
        content: `${n}`,
      }));
      const tags = "<memory>".repeat(size(10_000, 500_000));
      const long = [{ role: "system", content: tags }];
      const calls = Array.from({ length: size(300, 100_000) }, () => [{ role: "user", content: "x y z" }]);
      const inputs: readonly object[][] = [
        ...calls,
        messages,
        messages,
        messages,
        messages,
        messages,
        long,
        long,
      ];
      const spans = inputs.map((input, index) => ({
        name: "chat",
        trace_id: "contexts",
        span_id: `s${index}`,
        span_type: "llm",
        start_time: START_MS + index * 10,
        duration_ms: 1,
        attributes: { model: "gpt-5", tokens_input: 5000, tokens_cached: 0, prompt_messages: input },
      }));
      const batches = [
        spans.slice(0, calls.length),
        ...spans.slice(calls.length).map((each) => [each]),
      ].flatMap((batch) =>
        Array.from({ length: Math.ceil(batch.length / 500) }, (_, n) => batch.slice(n * 500, n * 500 + 500)),
      );
      const bodies = batches.map((batch) =>
        rawRequest({
          path: "/v1/telemetry",
          headers: JSON_BODY,
          body: [Buffer.from(JSON.stringify({ service: "support", spans: batch }))],
        }),
      );
      for (const { status } of await sendRequests(port, bodies, 1)) expect(status).toBe(202);
      await until("the calls are stored", async () => {
        const response = await fetch(`${collector.url}/v1/traces?trace_id=contexts`);
        const { traces } = (await response.json()) as { traces: readonly { span_count: number }[] };
        return traces[0]?.span_count === spans.length ? true : undefined;
      });
      return async () => {
        const ids = [...Array.from({ length: 8 }, (_, n) => `s${spans.length - 1 - n}`), "s0", "none"];
        const responses = await sendRequests(
          port,
          ids.map((id) => rawRequest({ path: PATH + id })),
          10,
        );
        note(responses);
        // One at a time is read: the last ones may wait longer than the store may take.
        const failed = responses.filter(({ status }) => ![200, 404, 503].includes(status));
        expect(failed.map(({ start }) => start)).toEqual([]);
      };
    },
    async holds({ collector }) {
      const response = await fetch(`${collector.url}${PATH}s1`);
      const { tokens } = (await response.json()) as { tokens: number };
      expect(tokens).toBe(5000);
    },
  },
];
