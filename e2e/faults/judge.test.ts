import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  respondWith,
  HANGS,
  startJudgeServer,
  type JudgeReply,
  type JudgeServer,
} from "../../collector-core/test/evaluation/judge-server.js";
import {
  collectorForTest,
  killProgram,
  startBuiltCollector,
  type BuiltCollector,
  type Settings,
} from "../harness/built-collector.js";
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

function judgedBy({ url }: JudgeServer): Settings {
  return {
    EVALUATION_ENABLED: "true",
    EVALUATION_JUDGE_API_KEY: "sk-judge",
    EVALUATION_JUDGE_BASE_URL: `${url}/v1`,
    EVALUATION_WORKER_CONCURRENCY: String(CONCURRENCY),
    SHUTDOWN_GRACE_PERIOD_SECONDS: "2",
  };
}

async function startJudged(reply: JudgeReply, settings: Settings = {}) {
  const judge = await startJudgeServer(() => reply);
  onTestFinished(() => judge.close());
  const collector = await collectorForTest({ ...judgedBy(judge), ...settings });
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

type Outcomes = Readonly<Record<string, number>>;

async function outcomesSoFar(collector: BuiltCollector): Promise<Outcomes> {
  const samples = await scrape(collector.url);
  return Object.fromEntries(
    ["completed", "timeout", "error", "malformed", "dropped"].map((outcome) => [
      outcome,
      samples.value("obs_evaluations_total", { outcome }),
    ]),
  );
}

/** The outcomes of the sent evaluations, once none waits. */
async function outcomes(collector: BuiltCollector, before: Outcomes = {}): Promise<Outcomes> {
  return await until(
    "every evaluation has ended",
    async () => {
      const now = Object.entries(await outcomesSoFar(collector));
      const by = Object.fromEntries(now.map(([outcome, count]) => [outcome, count - (before[outcome] ?? 0)]));
      return Object.values(by).reduce((sum, count) => sum + count, 0) === SPANS ? by : undefined;
    },
    30_000,
  );
}

function expectConcurrencyToHold(judge: JudgeServer): void {
  expect(judge.mostOpen).toBeLessThanOrEqual(CONCURRENCY);
}

describe("reliability.md 9: a judge that fails", () => {
  let reply: JudgeReply;
  let judge: JudgeServer;
  let collector: BuiltCollector;
  beforeAll(async () => {
    judge = await startJudgeServer(() => reply);
    collector = await startBuiltCollector(judgedBy(judge));
  });
  afterAll(async () => {
    await killProgram(collector);
    await judge.close();
  });

  /** Expects that all evaluations of the spans that it sends have this outcome. */
  async function expectFailures(judged: BuiltCollector, outcome: string): Promise<void> {
    const [before, earlier] = [await outcomesSoFar(judged), await ledgerAtRest(judged.url)];
    await send(judged);
    const ledger = await ledgerAtRest(judged.url);
    expectToAddUp(ledger);
    expect(ledger.processed - earlier.processed).toBe(SPANS);
    expect((await fetch(`${judged.url}/ready`)).status).toBe(200);
    expect(await outcomes(judged, before)).toMatchObject({ [outcome]: SPANS });
  }

  it("hangs: every evaluation fails, ingestion is unaffected, the ledger is exact", async () => {
    const hanging = await startJudged(HANGS, { EVALUATION_DEFAULT_TIMEOUT_MS: "300" });
    await expectFailures(hanging.collector, "timeout");
    expect((await hanging.collector.stop()).code).toBe(0);
  });

  it.each([
    ["answers 500", respondWith(500, { error: { message: "oops" } }, { "Retry-After-Ms": "1" }), "error"],
    ["answers malformed JSON", respondWith(200, '{"choices":['), "malformed"],
    ["gives the score NaN", '{"score": NaN}', "malformed"],
    ["gives the score 7", { score: 7 }, "malformed"],
    // The last: its judge notices an aborted request a little after the next one has arrived.
    ["answers 10 MB", ENDLESS, "malformed"],
  ] as const)(
    "%s: every evaluation fails, ingestion is unaffected, the ledger is exact",
    async (_name, each, outcome) => {
      reply = each;
      await expectFailures(collector, outcome);
      if (each !== ENDLESS) expectConcurrencyToHold(judge);
    },
  );

  it("failed in each of these ways: the collector stops in order", async () => {
    expect((await collector.stop()).code).toBe(0);
  });

  it("hangs while the collector stops: it exits within the grace period with an exact ledger", async () => {
    const hanging = await startJudged(HANGS, {
      EVALUATION_DEFAULT_TIMEOUT_MS: "60000",
      LOGGING_STRUCTURED: "true",
    });
    await send(hanging.collector);
    await ledgerAtRest(hanging.collector.url);
    const startedAtMs = performance.now();
    await hanging.collector.stop();
    expect(performance.now() - startedAtMs).toBeLessThan(20_000);
    const { record } = hanging.collector.lastLedger();
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
    const unreachable = await startJudged(HANGS, { EVALUATION_DEFAULT_TIMEOUT_MS: "300" });
    await unreachable.judge.close();
    await send(unreachable.collector);
    const counts = await outcomes(unreachable.collector);
    expect((counts["error"] ?? 0) + (counts["timeout"] ?? 0)).toBe(SPANS);
    expect(unreachable.collector.stderr.filter((line) => line.includes("Evaluation failed"))).toHaveLength(1);
  });
});
