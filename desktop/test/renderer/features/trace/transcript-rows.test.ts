import { buildSpanTree, readRun, transcriptOf } from "@obspan/collector-core/analysis";
import type { NormalizedSpan } from "@obspan/collector-core/api-schema";
import { describe, expect, it } from "vitest";
import { suitedView } from "../../../../src/renderer/features/trace/model/suited-view.js";
import {
  estimatedHeight,
  rowOfSpan,
  transcriptRows,
} from "../../../../src/renderer/features/trace/transcript/transcript-rows.js";
import { newSpan } from "./spans.js";

const text = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
const llm = (id: string, startMs: number, input: object[], durationMs: number | null = 5) =>
  newSpan(id, "root", startMs, durationMs, {
    span_type: "llm",
    attributes: { prompt_messages: input, completion_messages: [text("assistant", id)] } as never,
  });
const ROOT = newSpan("root", null, 0, 100, { span_type: "agent" });
const HISTORY = [
  text("system", "s"),
  text("user", "Hi"),
  text("assistant", "Hello"),
  text("user", "And now?"),
];
const ALL = { system: true, tools: true, steps: true };

const runOf = (...spans: NormalizedSpan[]) => readRun(buildSpanTree(spans));

describe("the rows of a transcript", () => {
  const run = runOf(
    ROOT,
    newSpan("load", "root", 1, 1),
    llm("one", 2, HISTORY),
    llm("two", 9, [...HISTORY, text("user", "b")]),
  );
  const kinds = (parts = ALL, showsEarlier = false) =>
    transcriptRows(transcriptOf(run), parts, showsEarlier).map((row) =>
      row.kind === "message" ? row.message.role : row.kind,
    );

  it("fold the messages before the run, and leave out what is hidden", () => {
    expect(kinds()).toEqual(["earlier", "steps", "system", "user", "turn", "user", "turn"]);
    expect(kinds(ALL, true).slice(0, 3)).toEqual(["earlier", "user", "assistant"]);
    expect(kinds({ system: false, tools: true, steps: false })).toEqual([
      "earlier",
      "user",
      "turn",
      "user",
      "turn",
    ]);
  });

  it("are found by span: the turn of a call, the chips of a step, otherwise what is around", () => {
    const rows = transcriptRows(transcriptOf(run), ALL, false);
    const kindOf = (id: string) => rows[rowOfSpan(rows, run.tree.byId.get(id))]?.kind;
    expect(["one", "load", "root"].map(kindOf)).toEqual(["turn", "steps", undefined]);
  });

  it("are about as high as the lines of their text, up to a most", () => {
    const heightOf = (content: string) => {
      const entries = transcriptRows(
        transcriptOf(runOf(ROOT, llm("a", 1, [text("user", content)]))),
        ALL,
        false,
      );
      return Math.max(...entries.map((row) => (row.kind === "message" ? estimatedHeight(row) : 0)));
    };
    const [line = 0, list = 0, long = 0] = ["a line", "a line:\n\n- one\n- two", "a line\n".repeat(500)].map(
      heightOf,
    );
    expect(list - line).toBeGreaterThan(40);
    expect(list - line).toBeLessThan(60);
    expect(long).toBeLessThan(400);
    expect(heightOf("x".repeat(200)) - line).toBe(40);
  });
});

describe("the view that a trace opens in", () => {
  it("is the transcript for several model calls with messages, and for one that runs", () => {
    const silent = (id: string) => newSpan(id, "root", 1, 1, { span_type: "llm" });
    expect(suitedView(runOf(ROOT, llm("a", 1, HISTORY), llm("b", 2, HISTORY)))).toBe("transcript");
    expect(suitedView(runOf(ROOT, llm("a", 1, HISTORY)))).toBe("timeline");
    expect(suitedView(runOf(ROOT, silent("a"), silent("b")))).toBe("timeline");
    expect(suitedView(runOf(ROOT, llm("a", 1, HISTORY, null)))).toBe("transcript");
    expect(suitedView(runOf(ROOT))).toBe("timeline");
  });
});
