import { describe, expect, it, onTestFinished } from "vitest";
import {
  respondWith,
  HANGS,
  startJudgeServer,
  type JudgeReply,
  type JudgeServer,
} from "../../collector-core/test/evaluation/judge-server.js";
import { collectorForTest, type BuiltCollector, type Settings } from "../harness/built-collector.js";
import { expectToAddUp, ledgerAtRest } from "../harness/ledger.js";
import { scrape } from "../harness/scrape.js";
import { until } from "../harness/until.js";

const SPANS = 24;
const CONCURRENCY = 3;

/** An answer of ten megabytes without an end. */
const ENDLESS: JudgeReply = {
  raw(response) {
    response.writeHead(200, { "Content-Type": "application/json" });
    const chunk = `{"choices":[${" ".repeat(65_536)}`;
    let sent = 0;
    const write = (): void => {
      while (sent < 10 * 2 ** 20) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", write);
      }
      response.end();
    };
    write();
  },
};

async function startJudged(reply: JudgeReply, settings: Settings = {}) {
  const judge = await startJudgeServer(() => reply);
  onTestFinished(() => judge.close());
  const collector = await collectorForTest({
    EVALUATION_ENABLED: "true",
    EVALUATION_JUDGE_API_KEY: "sk-judge",
    EVALUATION_JUDGE_BASE_URL: `${judge.url}/v1`,
    EVALUATION_WORKER_CONCURRENCY: String(CONCURRENCY),
    SHUTDOWN_GRACE_PERIOD_SECONDS: "2",
    ...settings,
  });
  return { judge, collector };
}

/** Sends spans that request evaluations. @returns the slowest latency. */
async function send(collector: BuiltCollector): Promise<void> {
  for (let i = 0; i < SPANS; i++) {
    const response = await fetch(`${collector.url}/v1/telemetry`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        spans: [
          {
            name: "chat",
            span_type: "llm",
            trace_id: `t${i}`,
            duration_ms: 5,
            attributes: { prompt_text: "Hi", completion_text: "Hello", evaluation_types: ["relevance"] },
          },
        ],
      }),
    });
    expect(response.status).toBe(202);
  }
}

/** The outcomes of all evaluations, once none waits. */
async function outcomes(collector: BuiltCollector): Promise<Record<string, number>> {
  return await until(
    "every evaluation has ended",
    async () => {
      const samples = await scrape(collector.url);
      const by = Object.fromEntries(
        ["completed", "timeout", "error", "malformed", "dropped"].map((outcome) => [
          outcome,
          samples.value("obs_evaluations_total", { outcome }),
        ]),
      );
      return Object.values(by).reduce((sum, count) => sum + count, 0) === SPANS ? by : undefined;
    },
    30_000,
  );
}

function expectConcurrencyToHold(judge: JudgeServer): void {
  expect(judge.mostOpen).toBeLessThanOrEqual(CONCURRENCY);
}

describe("reliability.md 9: a judge that fails", () => {
  it.each([
    ["hangs", HANGS, "timeout"],
    ["answers 500", respondWith(500, { error: { message: "oops" } }, { "Retry-After-Ms": "1" }), "error"],
    ["answers malformed JSON", respondWith(200, '{"choices":['), "malformed"],
    ["answers 10 MB", ENDLESS, "malformed"],
    ["gives the score NaN", '{"score": NaN}', "malformed"],
    ["gives the score 7", { score: 7 }, "malformed"],
  ] as const)(
    "%s: every evaluation fails, ingestion is unaffected, the ledger is exact",
    async (_name, reply, outcome) => {
      const { judge, collector } = await startJudged(
        reply,
        outcome === "timeout" ? { EVALUATION_DEFAULT_TIMEOUT_MS: "300" } : {},
      );
      await send(collector);
      const ledger = await ledgerAtRest(collector.url);
      expectToAddUp(ledger);
      expect(ledger.processed).toBe(SPANS);
      expect((await fetch(`${collector.url}/ready`)).status).toBe(200);

      expect(await outcomes(collector)).toMatchObject({ [outcome]: SPANS });
      // The judge notices an aborted request a little after the next one has arrived.
      if (outcome !== "timeout" && reply !== ENDLESS) expectConcurrencyToHold(judge);
      const { code } = await collector.stop();
      expect(code).toBe(0);
    },
  );

  it("hangs while the collector stops: it exits within the grace period with an exact ledger", async () => {
    const { collector } = await startJudged(HANGS, {
      EVALUATION_DEFAULT_TIMEOUT_MS: "60000",
      LOGGING_STRUCTURED: "true",
    });
    await send(collector);
    await ledgerAtRest(collector.url);
    const startedAtMs = performance.now();
    await collector.stop();
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
    const { record } = collector.lastLedger();
    expect(record["evaluation"]).toEqual({
      offered: SPANS,
      completed: 0,
      timeout: 0,
      error: 0,
      malformed: 0,
      dropped: SPANS,
      pending: 0,
    });
  });

  it("cannot be reached: evaluations fail, with one warning in the log", async () => {
    // The attempts take longer than that.
    const { judge, collector } = await startJudged(HANGS, { EVALUATION_DEFAULT_TIMEOUT_MS: "300" });
    await judge.close();
    await send(collector);
    const counts = await outcomes(collector);
    expect((counts["error"] ?? 0) + (counts["timeout"] ?? 0)).toBe(SPANS);
    expect(collector.stderr.filter((line) => line.includes("Evaluation failed"))).toHaveLength(1);
  });
});
