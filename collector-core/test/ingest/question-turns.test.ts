import { expect, it } from "vitest";
import { createQuestionTurns } from "../../src/ingest/question-turns.js";
import { errorOf, startCollector } from "../running-collector.js";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("answers one question in a turn of the event loop, the first at once, the others in order", async () => {
  const inLoopTurn = createQuestionTurns();
  const ran: number[] = [];
  for (const question of [1, 2, 3]) inLoopTurn(() => ran.push(question));
  expect(ran).toEqual([1]);
  await nextTurn();
  expect(ran).toEqual([1, 2]);
  await nextTurn();
  expect(ran).toEqual([1, 2, 3]);
  await nextTurn();
  await nextTurn();
  inLoopTurn(() => ran.push(4));
  expect(ran).toEqual([1, 2, 3, 4]);
});

it("goes on with the next question where one fails", async () => {
  const { url, get } = await startCollector();
  const asked = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0 ? get("/v1/traces") : fetch(`${url}/v1/traces/unknown`).then(errorOf),
  );
  for (const [index, answer] of (await Promise.all(asked)).entries())
    expect(answer).toMatchObject(index % 2 === 0 ? { traces: [] } : { code: "trace_not_found" });
});
