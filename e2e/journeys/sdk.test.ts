import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { collectorHere } from "../harness/collector-here.js";
import { startProgram } from "../harness/child-program.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { scrape } from "../harness/scrape.js";
import { until } from "../harness/until.js";

const SUPPORT_APP = fileURLToPath(new URL("./sdk-support-app.mjs", import.meta.url));

interface WireSpan {
  readonly name: string;
  readonly span_type: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly status: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly error_propagated?: boolean;
}

it("an app with the SDK sends a trace with its tree, metrics, each error once and its score", async () => {
  const collector = await collectorHere();
  const app = startProgram(process.execPath, [SUPPORT_APP], {
    OBS_PUSH_URL: collector.url,
    OBS_SERVICE: "shop",
    OBS_ENV: "staging",
  });
  expect(await app.exit).toMatchObject({ code: 0 });
  const { traceId, stats } = JSON.parse(app.stdout()) as {
    traceId: string;
    stats: { enqueued: number; acked: number };
  };
  expect(stats.acked).toBe(stats.enqueued);

  const get = async <T>(path: string) => (await (await fetch(collector.url + path)).json()) as T;
  const { trace, spans } = await until("the trace is stored", async () => {
    const answer = await get<{ trace?: Record<string, unknown>; spans?: WireSpan[] }>(
      `/v1/traces/${traceId}`,
    );
    return answer.spans !== undefined && answer.spans.length >= 6
      ? { trace: answer.trace, spans: answer.spans }
      : undefined;
  });
  expect(trace).toMatchObject({
    root_name: "support",
    service: "shop",
    env: "staging",
    agent: "support",
    llm_calls: 1,
    tokens_input: 12,
    tokens_output: 7,
    scores: [{ type: "feedback", score: 1, label: "good" }],
  });
  const byName = new Map(spans.map((span) => [span.name, span]));
  const parentOf = (name: string) =>
    spans.find(({ span_id }) => span_id === byName.get(name)?.parent_span_id)?.name;
  expect(["answer", "lookup", "charge"].map(parentOf)).toEqual(["support", "support", "refund"]);
  expect(byName.get("answer")?.attributes).toMatchObject({
    model: "gpt-5-mini",
    stream: true,
    prompt_text: "Where is my order?",
    completion_text: "It ships today.",
    session_id: "s-1",
    ttft_ms: expect.any(Number),
  });
  expect([byName.get("charge")?.status, byName.get("charge")?.error_propagated]).toEqual([
    "ERROR",
    undefined,
  ]);
  expect(byName.get("refund")?.error_propagated).toBe(true);

  const families = await scrape(collector.url);
  expect(
    families.value("obs_llm_calls_total", { service: "shop", model: "gpt-5-mini", agent: "support" }),
  ).toBe(1);
  expect(families.value("obs_errors_total", { service: "shop", error_type: "timeout" })).toBe(1);
  expectToAddUp(await ledgerAtRest(collector.url));
});
