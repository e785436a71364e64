import { describe, expect, it } from "vitest";
import { findingsOf, readTurn } from "../../../src/analysis/session/turn-reading.js";
import type { NormalizedSpan } from "../../../src/api-schema/trace.js";
import { newSpan } from "../spans.js";

const root = newSpan("root", null, 0, 100, { span_type: "agent", name: "support" });
let startMs = 0;
const child = (id: string, fields: Partial<NormalizedSpan>, parent = "root"): NormalizedSpan =>
  newSpan(id, parent, ++startMs, 5, fields);

describe("a turn", () => {
  it("has the question and the answer of its root", () => {
    const reading = readTurn([
      { ...root, attributes: { input_text: "Where is it?", output_text: "In Lyon." } },
      child("m", { span_type: "llm", attributes: { prompt_text: "other", completion_text: "other" } }),
    ]);
    expect(reading.question).toEqual({ text: "Where is it?", bytes: undefined, images: 0 });
    expect(reading.answer?.text).toBe("In Lyon.");
  });

  it("has those of its first and its last model call where the root has none", () => {
    const message = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
    const reading = readTurn([
      root,
      child("m1", {
        span_type: "llm",
        attributes: {
          prompt_messages: [
            message("system", "Be brief."),
            message("user", "Hello?"),
            message("assistant", "x"),
          ],
          completion_messages: [{ role: "assistant", parts: [{ type: "tool_call", name: "search" }] }],
        },
      }),
      child("m2", { span_type: "llm", attributes: { completion_messages: [message("assistant", "Yes.")] } }),
    ]);
    expect([reading.question?.text, reading.answer?.text]).toEqual(["Hello?", "Yes."]);
  });

  it("says how long a text is of which it has the beginning, and counts images", () => {
    const image = { type: "blob", modality: "image", mime_type: "image/png", content: "aGk=" };
    const text = { truncated: true, bytes: 9000, preview: "long" };
    const { question } = readTurn([
      {
        ...root,
        attributes: { prompt_messages: [{ role: "user", parts: [{ type: "text", content: text }, image] }] },
      },
    ]);
    expect(question).toEqual({ text: "long", bytes: 9000, images: 1 });
  });

  it("has neither without a recorded text", () => {
    const { question, answer, steps } = readTurn([root]);
    expect([question, answer, steps]).toEqual([undefined, undefined, []]);
    expect(readTurn([]).root).toBeUndefined();
  });

  it("counts calls once, tools by name, and leaves evaluations out", () => {
    const reading = readTurn([
      root,
      child("wrapper", { span_type: "llm" }),
      child("call", { span_type: "llm" }, "wrapper"),
      child("a", { span_type: "tool", name: "search" }),
      child("b", { span_type: "tool", name: "run", attributes: { tool_name: "get_order" } }),
      child("c", { span_type: "tool", name: "search" }),
      child("sub", { span_type: "agent" }),
      child("e", { span_type: "evaluation" }),
    ]);
    expect(reading).toMatchObject({ models: 1, tools: 3, agents: 1 });
    expect(reading.toolCounts).toEqual([
      { name: "search", count: 2 },
      { name: "get_order", count: 1 },
    ]);
    expect(reading.steps.map(({ id }) => id)).not.toContain("wrapper");
    expect(reading.evaluations).toHaveLength(1);
  });
});

describe("what stands out in a turn", () => {
  it("is model calls that did not read the cache, with what was billed again", () => {
    const call = (id: string) => child(id, { span_type: "llm", name: "plan" });
    const reading = readTurn([root, call("a"), call("b"), call("c")]);
    const priced = { tokens: 2000, costUsd: 0.002 };
    const findings = (...broken: [string, typeof priced | { tokens: number; costUsd: undefined }][]) =>
      findingsOf(reading, new Map(broken));
    expect(findings(["b", priced], ["c", priced])).toMatchObject([
      { type: "cache", title: "Cache broke ×2", spanId: "b", again: { tokens: 4000, costUsd: 0.004 } },
    ]);
    // Without a price of each model, the sum would be too low.
    expect(findings(["b", priced], ["c", { tokens: 1000, costUsd: undefined }])).toMatchObject([
      { again: { tokens: 3000, costUsd: undefined } },
    ]);
  });

  it("is what failed, but not what only passed an error on", () => {
    const reading = readTurn([
      { ...root, status: "ERROR", error_propagated: true },
      child("t", {
        span_type: "tool",
        name: "search",
        status: "ERROR",
        attributes: { error_type: "timeout", error_message: "no answer" },
      }),
    ]);
    expect(findingsOf(reading)).toEqual([
      { type: "error", title: "search", detail: "timeout · no answer", ms: 5, spanId: "t" },
    ]);
  });

  it("is a tool that one agent called three times with the same arguments", () => {
    const call = (id: string, text: string, parent = "root") =>
      child(id, { span_type: "tool", name: "track", attributes: { input_text: text } }, parent);
    const twice = [root, call("1", "x"), call("2", "x"), call("3", "y")];
    expect(findingsOf(readTurn(twice))).toEqual([]);
    const other = [child("sub", { span_type: "agent" }), call("4", "x", "sub")];
    expect(findingsOf(readTurn([...twice, ...other]))).toEqual([]);
    expect(findingsOf(readTurn([...twice, call("5", "x")]))).toMatchObject([
      { type: "repeat", title: "Same call ×3", detail: "track, same arguments", ms: 15, spanId: "1" },
    ]);
  });
});
