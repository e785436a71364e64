import { expect, it } from "vitest";
import { createPipelineSpan, type PipelineSpan } from "../../../src/span/pipeline-span.js";
import { nextTurn } from "../../../src/runtime/loop-turn.js";
import { createSpanRedactor } from "../../../src/pipeline/redaction/span-redactor.js";
import { readSpanFacts } from "../../../src/span/span-facts.js";
import { TimeSlice } from "../../../src/runtime/time-slice.js";
import { countTurns, everLater } from "../../runtime/loop-turns.js";

const CONTEXT = { tenant: "", service: "shop", env: "test", version: undefined, receivedAtMs: 0 };
const QUERIES = 100;

function largeSpan(texts: number): PipelineSpan {
  const prompt_messages = Array.from({ length: texts }, () => ({ content: "mail a@b.example ".repeat(600) }));
  const span = { name: "chat", trace_id: "t1", span_id: "s1", attributes: { prompt_messages } };
  const facts = readSpanFacts(span, CONTEXT, undefined, () => undefined);
  const batch = { body: Buffer.from(JSON.stringify({ spans: [span] })), spanCount: 1 };
  return createPipelineSpan(
    { span, facts, context: CONTEXT, batch },
    { isSampled: () => true, countsUsage: () => true },
  );
}

function redactor(clock: ReturnType<typeof everLater>, turn: () => Promise<void> = nextTurn) {
  return createSpanRedactor({
    maxTextLength: 50_000,
    dropOnFailure: true,
    customPatterns: [],
    counters: { redacted: () => undefined, redactionFailed: () => undefined },
    onFailure: (error) => {
      throw error;
    },
    clock,
    nextTurn: turn,
  });
}

it("redacts a large span without queuing behind a hundred concurrent queries", async () => {
  const clock = everLater();
  let isOver = false;
  const query = async (): Promise<void> => {
    const slice = new TimeSlice(clock);
    while (!isOver) await slice.next();
  };
  const queries = Array.from({ length: QUERIES }, query);
  let waits = 0;
  const { redact } = redactor(clock, () => {
    waits++;
    return nextTurn();
  });
  const turns = countTurns();
  const redacted = await redact(largeSpan(10));
  const turnCount = turns.end();
  isOver = true;
  await Promise.all(queries);
  expect(JSON.stringify(redacted?.span)).not.toContain("a@b.example");
  expect(waits).toBeGreaterThanOrEqual(10);
  expect(turnCount).toBeLessThanOrEqual(waits + 2);
});

it("yields to the event loop between large spans that each take less than a time slice", async () => {
  let nowMs = 0;
  let waits = 0;
  const clock = { ...everLater(), monotonic: () => (nowMs += 0.1) };
  const { redact } = redactor(clock, () => {
    waits++;
    return nextTurn();
  });
  for (let span = 0; span < 50; span++) await redact(largeSpan(7));
  expect(nowMs).toBeGreaterThan(50);
  expect(waits).toBeGreaterThanOrEqual(Math.floor(nowMs / 10));
});
