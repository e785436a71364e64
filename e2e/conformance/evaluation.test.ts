import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished } from "vitest";
import type { Settings } from "../harness/built-collector.js";
import { until } from "../harness/until.js";
import { batch, conversation, span, type Conversation, type StoredSpan } from "./conversation.js";
import { rule } from "./rule.js";

const VERDICT = { score: 0.25, label: "poor", explanation: "It does not say when." };

interface Judge {
  readonly settings: Settings;
  /** The request bodies, as text. */
  readonly requests: readonly string[];
}

/** A judge with OpenAI's chat API. */
async function judge(settings: Settings = {}, isAnswering = true): Promise<Judge> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push(Buffer.concat(chunks).toString("utf8"));
      const choice = {
        index: 0,
        message: { role: "assistant", content: JSON.stringify(VERDICT) },
        finish_reason: "stop",
      };
      const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
      const body = {
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "judge-1",
        choices: [choice],
        usage,
      };
      if (isAnswering)
        response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    requests,
    settings: {
      EVALUATION_ENABLED: "true",
      EVALUATION_JUDGE_PROVIDER: "openai-compatible",
      EVALUATION_JUDGE_MODEL: "judge-1",
      EVALUATION_JUDGE_BASE_URL: url,
      ...settings,
    },
  };
}

const asking = (traceId: string, attributes: Readonly<Record<string, unknown>> = {}) =>
  span(traceId, {
    attributes: {
      evaluation_types: ["helpfulness"],
      prompt_text: "Where is my order?",
      completion_text: "On its way.",
      ...attributes,
    },
  });

/** The evaluation spans of a trace, once it has one. */
function evaluationsOf({ spansOf }: Conversation, traceId: string): Promise<readonly StoredSpan[]> {
  return until(`trace ${traceId} is evaluated`, async () => {
    const found = (await spansOf(traceId)).filter((each) => each.span_type === "evaluation");
    return found.length > 0 ? found : undefined;
  });
}

/** Evaluations by outcome, once that many have ended. */
function outcomes({ metrics }: Conversation, count: number): Promise<Record<string, number>> {
  return until(`${count} evaluations are done`, async () => {
    const seen = await metrics();
    const done = seen.by("obs_evaluations_total", "outcome");
    return seen.value("obs_evaluations_total") >= count ? done : undefined;
  });
}

describe("evaluation", () => {
  rule("1 step 6", "delays no span for a judge that hangs", async () => {
    const { settings } = await judge({}, false);
    const collector = await conversation(settings);
    await collector.post(batch(asking("t"), asking("t"), span("other")));
    expect((await collector.metrics()).value("obs_spans_processed_total")).toBe(3);
    expect(await collector.spansOf("other")).toHaveLength(1);
  });

  rule("2.4", "adds its result to the trace as a span with a score", async () => {
    const { settings } = await judge();
    const collector = await conversation(settings);
    await collector.post(batch(asking("t")));
    const [evaluation] = await evaluationsOf(collector, "t");
    expect(evaluation).toMatchObject({
      name: "evaluation.helpfulness",
      attributes: {
        evaluation_type: "helpfulness",
        evaluation_score: VERDICT.score,
        evaluation_label: VERDICT.label,
        evaluation_explanation: VERDICT.explanation,
      },
    });
  });

  rule("4.9 rule 5", "sends prompt and completion to the judge for each requested type", async () => {
    const { settings, requests } = await judge();
    const collector = await conversation(settings);
    await collector.post(
      batch(asking("t", { evaluation_types: ["helpfulness", "toxicity"] }), span("silent")),
    );
    expect(await outcomes(collector, 2)).toEqual({ completed: expect.any(Number) });
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      expect(request).toContain("Where is my order?");
      expect(request).toContain("On its way.");
    }
  });

  rule("4.9 rule 5", "applies both rates: half of a half is about a quarter", async () => {
    const { settings } = await judge({ SAMPLING_RATE: "0.5", EVALUATION_DEFAULT_SAMPLE_RATE: "0.5" });
    // A check without a judge: four hundred of them are fast.
    const collector = await conversation(settings);
    const types = { evaluation_types: ["contains:order"] };
    await collector.post(batch(...Array.from({ length: 400 }, (_, index) => asking(`t${index}`, types))));
    const { completed = 0 } = await outcomes(collector, 60);
    expect(completed).toBeGreaterThanOrEqual(60);
    expect(completed).toBeLessThan(140);
  });

  rule("4.9 rule 5", "prefers the rate of the span over the default rate", async () => {
    const { settings, requests } = await judge({ EVALUATION_DEFAULT_SAMPLE_RATE: "0" });
    const collector = await conversation(settings);
    await collector.post(batch(asking("never"), asking("always", { evaluation_sample_rate: 1 })));
    await evaluationsOf(collector, "always");
    expect(requests).toHaveLength(1);
  });

  rule("4.9 rule 5", "records a judge that takes too long as a failure", async () => {
    const { settings } = await judge({ EVALUATION_DEFAULT_TIMEOUT_MS: "300" }, false);
    const collector = await conversation(settings);
    await collector.post(batch(asking("t")));
    expect(await outcomes(collector, 1)).toEqual({ timeout: 1 });
  });

  rule("2.6", "refuses to start without a key for a provider that needs one", async () => {
    await expect(conversation({ EVALUATION_ENABLED: "true" })).rejects.toThrow(/EVALUATION_JUDGE_API_KEY/);
  });
});
