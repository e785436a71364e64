import { describe, expect, it } from "vitest";
import { recordingSdk } from "../fresh-sdk.js";

describe("time to the first token", () => {
  it("ends with the first chunk that has generated content", async () => {
    const { llm, takeSpans } = await recordingSdk();
    const stream = llm(async function* () {
      yield { choices: [{ delta: { role: "assistant", content: "" } }] };
      await new Promise((resolve) => setTimeout(resolve, 20));
      yield { choices: [{ delta: { tool_calls: [{ index: 0, function: { name: "look" } }] } }] };
      await new Promise((resolve) => setTimeout(resolve, 20));
      yield { choices: [{ delta: { content: "x" } }] };
    })();
    for await (const chunk of stream) expect(chunk).toBeDefined();
    const [span] = takeSpans();
    expect(span?.attributes?.["ttft_ms"]).toBeGreaterThanOrEqual(19);
    expect(span?.attributes?.["ttft_ms"]).toBeLessThan(Number(span?.duration_ms) - 15);
  });

  it("is not measured if enableTtft is false, or on spans that are not model calls", async () => {
    const { llm, takeSpans } = await recordingSdk({ enableTtft: false });
    for await (const chunk of llm(async function* () {
      yield "a";
    })())
      expect(chunk).toBe("a");
    expect(takeSpans()[0]?.attributes).not.toHaveProperty("ttft_ms");
    const other = await recordingSdk();
    for await (const chunk of other.agent("a", async function* () {
      yield "a";
    })())
      expect(chunk).toBe("a");
    expect(other.takeSpans()[0]?.attributes).not.toHaveProperty("ttft_ms");
  });
});
