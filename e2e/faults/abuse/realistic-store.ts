import type { BuiltCollector } from "../../harness/built-collector.js";
import { createRandomSource } from "../../harness/random-source.js";
import { rawRequest, sendRequests, type RawRequest } from "../../harness/raw-requests.js";
import { ledgerAtRest } from "../../harness/ledger.js";

const SPANS_PER_TRACE = 6;
const TRACES_PER_BATCH = 50;
const SENTENCE = "The customer asks about the invoice of last month, and the agent looks it up. ";
const generated = new Map<number, readonly RawRequest[]>();

/** Stores traces of an agent that calls a model and tools. */
export async function fillStore(collector: BuiltCollector, traces: number): Promise<void> {
  let requests = generated.get(traces);
  if (requests === undefined) generated.set(traces, (requests = batches(traces)));
  const responses = await sendRequests(collector.port, requests, 4);
  const refused = responses.filter(({ status }) => status !== 202);
  if (refused.length > 0) throw new Error(`The store was not filled: ${refused[0]?.start ?? ""}`);
  await ledgerAtRest(collector.url);
}

function batches(traces: number): RawRequest[] {
  const random = createRandomSource(19);
  const pick = (...values: readonly [string, ...string[]]): string => random.pick(values);
  const requests: RawRequest[] = [];
  for (let first = 0; first < traces; first += TRACES_PER_BATCH) {
    const ids = Array.from(
      { length: Math.min(TRACES_PER_BATCH, traces - first) },
      (_, at) => `run-${first + at}`,
    );
    const body = { service: pick("support", "search", "billing"), spans: ids.flatMap(traceOf) };
    requests.push(
      rawRequest({
        path: "/v1/telemetry",
        headers: { "Content-Type": "application/json" },
        body: [Buffer.from(JSON.stringify(body))],
      }),
    );
  }
  return requests;

  function traceOf(traceId: string) {
    const agent = pick("support-agent", "researcher", "planner", "writer");
    return Array.from({ length: SPANS_PER_TRACE }, (_, index) => ({
      name: index === 0 ? agent : index % 2 === 0 ? "lookup" : "chat",
      span_type: index === 0 ? "agent" : index % 2 === 0 ? "tool" : "llm",
      trace_id: traceId,
      span_id: `s${index}`,
      ...(index === 0 ? {} : { parent_span_id: "s0" }),
      duration_ms: 5 + random.below(20_000),
      status: random.inPercent(4) ? "ERROR" : "OK",
      attributes: {
        agent,
        model: pick("gpt-5", "gpt-5-mini", "claude-sonnet-5", "gemini-3-flash"),
        provider: pick("openai", "anthropic", "google"),
        tokens_input: random.below(4000),
        tokens_output: random.below(800),
        cost_usd: random.below(1000) / 10_000,
        prompt_text: SENTENCE.repeat(1 + random.below(10)),
        completion_text: SENTENCE.repeat(1 + random.below(4)),
      },
    }));
  }
}
