import { onTestFinished } from "vitest";
import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import { startCollector, span, type RunningCollector } from "../running-collector.js";
import { startJudgeServer, type JudgeServer } from "./judge-server.js";

/** A collector and its judge server. */
export interface JudgedCollector extends RunningCollector {
  readonly judge: JudgeServer;
  /** Resolves when every accepted span is processed and every evaluation is finished. */
  evaluated(): Promise<void>;
  /** The evaluation spans of a trace, in order. */
  evaluationsOf(traceId?: string): Promise<NormalizedSpan[]>;
}

/** Starts both. Takes the same settings as `startCollector`. */
export async function startJudgedCollector(
  settings: Record<string, string> = {},
  reply?: JudgeServer["reply"],
  options: Parameters<typeof startCollector>[1] = {},
): Promise<JudgedCollector> {
  const judge = await startJudgeServer(reply);
  onTestFinished(() => judge.close());
  const running = await startCollector(
    {
      EVALUATION_ENABLED: "true",
      EVALUATION_JUDGE_API_KEY: "sk-judge",
      EVALUATION_JUDGE_BASE_URL: `${judge.url}/v1`,
      SHUTDOWN_GRACE_PERIOD_SECONDS: "2",
      ...settings,
    },
    options,
  );
  return {
    ...running,
    judge,
    async evaluated() {
      await running.settled();
      while ((running.collector.ledger().evaluated?.pending ?? 0) > 0)
        await new Promise((resolve) => setImmediate(resolve));
    },
    async evaluationsOf(traceId = "t1") {
      const { spans } = await running.get<{ spans: NormalizedSpan[] }>(`/v1/traces/${traceId}`);
      return spans.filter(({ span_type }) => span_type === "evaluation");
    },
  };
}

/** Creates a model call with evaluation metadata. */
export function judgedSpan(
  types: readonly unknown[] = ["relevance"],
  fields: Record<string, unknown> = {},
  attributes: Record<string, unknown> = {},
): Record<string, unknown> {
  return span({
    span_id: "s1",
    span_type: "llm",
    ...fields,
    attributes: {
      model: "gpt-5-mini",
      agent: "support",
      prompt_text: "When does it arrive?",
      completion_text: "Tomorrow.",
      evaluation_types: types,
      ...attributes,
    },
  });
}
