import { expect, it } from "vitest";
import { recordingSdk } from "../fresh-sdk.js";

it("a wrapped async function can call itself 4,000 levels deep", async () => {
  const { task, currentSpan, stats } = await recordingSdk();
  const recurse = task("level", async (level: number): Promise<number> => {
    return level === 4000 ? level : await recurse(level + 1);
  });
  expect(await recurse(1)).toBe(4000);
  expect(currentSpan().isRecording).toBe(false);
  expect(stats().enqueued).toBe(4000);
});

it("spans that start in a wrapped function are its children, and later ones are not", async () => {
  const { agent, task, takeSpans, withTrace, withPrompt } = await recordingSdk();
  const leaf = task("leaf", () => 1);
  const fails = task("fails", () => {
    leaf();
    throw new Error("thrown");
  });
  const main = agent("main", async () => {
    expect(() => fails()).toThrow("thrown");
    leaf();
    await Promise.resolve();
    withPrompt({ name: "p" }, leaf);
    withTrace(undefined, () => {
      leaf();
      leaf();
    });
    leaf();
  });
  await main();
  leaf();
  const spans = takeSpans();
  const nameOf = new Map(spans.map(({ span_id: id, name }) => [id, name]));
  expect(spans.map(({ name, parent_span_id: parent }) => [name, parent && nameOf.get(parent)])).toEqual([
    ["leaf", "fails"],
    ["fails", "main"],
    ["leaf", "main"],
    ["leaf", "main"],
    ["leaf", undefined],
    ["leaf", undefined],
    ["leaf", "main"],
    ["main", undefined],
    ["leaf", undefined],
  ]);
});
