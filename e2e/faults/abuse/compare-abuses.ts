import { expect } from "vitest";
import { rawRequest, sendRequests, type RawRequest } from "../../harness/raw-requests.js";
import { until } from "../../harness/until.js";
import type { Abuse, AbuseContext } from "./abuse.js";

const JSON_BODY = { "Content-Type": "application/json" };
const START_MS = 1_790_000_000_000;
/** Spans in a request. */
const BATCH = 500;

interface Step {
  readonly name: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Id of the span above. Default: the root. */
  readonly parent?: string;
  /** Default: each starts later than the one before. */
  readonly startMs?: number;
}

/** Stores a trace of one agent with the given steps. */
async function store(
  { port, collector }: AbuseContext,
  traceId: string,
  steps: readonly Step[],
): Promise<void> {
  const spans = steps.map(({ name, type, attributes, parent = "root", startMs }, index) => ({
    name,
    trace_id: traceId,
    span_id: `s${index}`,
    parent_span_id: parent,
    span_type: type,
    start_time: startMs ?? START_MS + index,
    duration_ms: 1,
    attributes,
  }));
  const root = { name: "run", trace_id: traceId, span_id: "root", span_type: "agent", start_time: START_MS };
  const bodies: RawRequest[] = [];
  for (let from = 0; from < spans.length; from += BATCH) {
    const batch = [...(from === 0 ? [root] : []), ...spans.slice(from, from + BATCH)];
    const body = [Buffer.from(JSON.stringify({ service: "support", spans: batch }))];
    bodies.push(rawRequest({ path: "/v1/telemetry", headers: JSON_BODY, body }));
  }
  for (const { status } of await sendRequests(port, bodies, 1)) expect(status).toBe(202);
  await until(`${traceId} is stored`, async () => {
    const response = await fetch(`${collector.url}/v1/traces?trace_id=${traceId}`);
    const { traces } = (await response.json()) as { traces: readonly { span_count: number }[] };
    return traces[0]?.span_count === steps.length + 1 ? true : undefined;
  });
}

const wordsOf = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, n) => `w${(n * seed) % 9973}`).join(" ");

/** Comparisons of traces that are made to be expensive: many steps alike or at the same time, calls without ids, texts that differ everywhere, deep chains. */
export const COMPARE_ABUSES: readonly Abuse[] = [
  {
    name: "comparisons of long traces with steps alike, steps at the same time, calls without ids, long texts that all differ and a deep chain",
    settings: { TRACE_STORE_MAX_SPANS_PER_TRACE: "200000" },
    async prepare(context) {
      const { port, size, note } = context;
      const length = size(450, 20_000);
      const storePolls = (
        traceId: string,
        stepOf: (n: number) => Omit<Step, "name" | "type">,
      ): Promise<void> =>
        store(
          context,
          traceId,
          Array.from({ length }, (_, n) => ({ name: "poll", type: "tool", ...stepOf(n) })),
        );
      for (const [traceId, seed] of [
        ["alike-a", 2],
        ["alike-b", 3],
      ] as const)
        await storePolls(traceId, (n) => ({
          attributes: { input_text: String(n % seed), output_text: String(n) },
        }));
      for (const traceId of ["parallel-a", "parallel-b"])
        await storePolls(traceId, (n) => ({
          attributes: { input_text: `${"the same words ".repeat(10)}${(n * 7919) % length}` },
          startMs: START_MS,
        }));
      for (const [traceId, seed] of [
        ["calls-a", 7],
        ["calls-b", 13],
      ] as const)
        await store(
          context,
          traceId,
          Array.from({ length: size(250, 5000) }, (_, n) =>
            n % 2 === 1
              ? { name: "poll", type: "tool", attributes: { input_text: `{"n":${n}}` } }
              : {
                  name: "chat",
                  type: "llm",
                  attributes: {
                    completion_messages: [
                      {
                        role: "assistant",
                        parts: [
                          { type: "text", content: n < 50 ? wordsOf(seed, 2000) : "x" },
                          { type: "tool_call", name: "poll", arguments: { n: n + seed } },
                        ],
                      },
                    ],
                  },
                },
          ),
        );
      const depth = size(200, 20_000);
      await store(
        context,
        "deep",
        Array.from({ length: 2 * depth }, (_, n) => ({
          name: "chat",
          type: n < depth ? "task" : "llm",
          attributes: {},
          ...(n === 0 ? {} : { parent: `s${Math.min(n, depth) - 1}` }),
        })),
      );
      const pairs = [
        ["alike-a", "alike-b"],
        ["parallel-a", "parallel-b"],
        ["calls-a", "calls-b"],
        ["calls-a", "alike-a"],
        ["alike-a", "gone"],
        ["deep", "deep"],
      ];
      return async () => {
        const paths = Array.from({ length: size(8, 50) }, (_, n) => {
          const [a, b] = pairs[n % pairs.length] ?? [];
          return `/v1/compare?a=${a}&b=${b}`;
        });
        const responses = await sendRequests(
          port,
          paths.map((path) => rawRequest({ path })),
          25,
        );
        note(responses);
        // One runs at a time: those that waited for too long are told so.
        const failed = responses.filter(({ status }) => ![200, 404, 503].includes(status));
        expect(failed.map(({ start }) => start)).toEqual([]);
        expect(responses.some(({ status }) => status === 200)).toBe(true);
      };
    },
    async holds({ collector }) {
      const response = await fetch(`${collector.url}/v1/compare?a=run-0&b=run-1`);
      expect(response.status).toBe(200);
    },
  },
];
