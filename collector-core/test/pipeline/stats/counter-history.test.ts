import { expect, it } from "vitest";
import { createCounterHistory } from "../../../src/pipeline/stats/counter-history.js";
import { createStepClock } from "../../../src/pipeline/stats/step-clock.js";
import { CONTEXT, createTestMetrics } from "../metrics/support.js";

it("sums evaluations by outcome, over all types and services", () => {
  const metrics = createTestMetrics();
  const time = createStepClock({ now: () => 0, monotonic: () => 0 });
  const counters = createCounterHistory({ sources: [metrics], time });
  metrics.countEvaluations("relevance", "completed", CONTEXT, 1);
  metrics.countEvaluations("toxicity", "completed", { ...CONTEXT, service: "mail" }, 1);
  metrics.countEvaluations("toxicity", "timeout", CONTEXT, 1);
  const evaluations = counters.read(0, 10, 1).filter(({ name }) => name === "obs_evaluations_total");
  expect(evaluations).toMatchObject([
    { labels: { outcome: "completed" }, total: 2, values: [2] },
    { labels: { outcome: "timeout" }, total: 1, values: [1] },
  ]);
});
