import fc from "fast-check";
import { expect, it } from "vitest";
import type { EvaluationList } from "../../src/api-schema/evaluations.js";
import { span, startCollector } from "../running-collector.js";

it("pages of evaluations contain each evaluation once, newest or worst first", async () => {
  const scores = fc.sample(fc.constantFrom(0, 0.25, 0.5, 0.75, 1, undefined), { numRuns: 40, seed: 7 });
  const { post, settled, get } = await startCollector();
  for (const [index, score] of scores.entries()) {
    await post({
      spans: [
        span({
          trace_id: "t",
          span_id: `e${index}`,
          span_type: "evaluation",
          attributes: {
            evaluation_type: index % 2 === 0 ? "relevance" : "toxicity",
            ...(score === undefined ? {} : { evaluation_score: score }),
          },
        }),
      ],
    });
  }
  await settled();
  const idsOf = async (query: string, limit: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const from: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: EvaluationList = await get(`/v1/evaluations?limit=${limit}${query}${from}`);
      expect(page.evaluations.length).toBeLessThanOrEqual(limit);
      ids.push(...page.evaluations.map(({ span_id: id }) => id));
      cursor = page.next_cursor;
    }
    return ids;
  };

  const newest = scores.map((_, index) => index).reverse();
  // A low score is bad for relevance, a high one for toxicity.
  const badness = (index: number): number =>
    index % 2 === 0 ? 1 - (scores[index] ?? 0) : (scores[index] ?? 0);
  const worst = newest
    .filter((index) => scores[index] !== undefined)
    .sort((a, b) => badness(b) - badness(a) || b - a);
  const ids = (indexes: readonly number[]): string[] => indexes.map((index) => `e${index}`);
  for (const limit of [1, 7, 40, 1000]) {
    expect(await idsOf("", limit)).toEqual(ids(newest));
    expect(await idsOf("&order=worst", limit)).toEqual(ids(worst));
    const ofType = worst.filter((index) => index % 2 === 0);
    expect(await idsOf("&order=worst&type=relevance", limit)).toEqual(ids(ofType));
  }
});
