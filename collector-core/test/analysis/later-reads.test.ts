import { expect, it } from "vitest";
import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import { laterReads } from "../../src/analysis/later-reads.js";
import { readRun } from "../../src/analysis/run.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import { newSpan } from "./spans.js";

const RESULT = "The parcel left the depot this morning. ".repeat(100);

const said = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
const asks = (id: string) => ({
  role: "assistant",
  parts: [{ type: "tool_call", id, name: "track", arguments: { parcel: "6C" } }],
});
const answers = (id: string) => ({
  role: "tool",
  parts: [{ type: "tool_call_response", id, response: RESULT }],
});

const QUESTION = said("user", "Where is it?");

function call(
  id: string,
  startMs: number,
  sent: (typeof QUESTION | ReturnType<typeof asks | typeof answers>)[],
  tokens: number,
  cached: number,
): NormalizedSpan {
  return newSpan(id, "agent", startMs, 50, {
    span_type: "llm",
    attributes: {
      model: "claude",
      prompt_messages: sent,
      completion_messages: id === "first" ? [asks("c1")] : [said("assistant", "Soon.")],
      tokens_input: tokens,
      tokens_cached: cached,
    },
  });
}

it("a result is read by each later call that is sent it, from the cache where it lies in the cached prefix", () => {
  const spans = [
    newSpan("agent", null, 0, 1000, { span_type: "agent" }),
    call("first", 0, [QUESTION], 10, 0),
    newSpan("tool", "agent", 100, 50, { span_type: "tool", attributes: { tool_call_id: "c1" } }),
    call("second", 200, [QUESTION, asks("c1"), answers("c1")], 2000, 10),
    call("third", 300, [QUESTION, asks("c1"), answers("c1"), said("user", "And then?")], 2010, 2000),
    call("other", 400, [QUESTION], 10, 0),
  ];
  const run = readRun(buildSpanTree(spans));
  const tools = run.tree.nodes.filter(({ id }) => id === "tool");
  const reads = laterReads(run, tools);
  expect(reads.map(({ call: { node }, isCached }) => [node.id, isCached])).toEqual([
    ["second", false],
    ["third", true],
  ]);
  for (const { tokens } of reads) {
    // Scaled to what the provider reports: nearly all of it is the result.
    expect(tokens).toBeGreaterThan(1900);
    expect(tokens).toBeLessThan(2000);
  }
  expect(
    laterReads(
      run,
      run.tree.nodes.filter(({ id }) => id === "first"),
    ),
  ).toEqual([]);
});
