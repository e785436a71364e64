import { describe, expect, it } from "vitest";
import { canonicalData } from "../../src/analysis/canonical-json.js";
import type { SpanMessage, SpanPart } from "../../src/analysis/message.js";
import { recordedMessages } from "../../src/analysis/messages.js";
import { readRun } from "../../src/analysis/run.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import { transcriptMarkdown } from "../../src/analysis/transcript/transcript-markdown.js";
import { transcriptOf } from "../../src/analysis/transcript/transcript.js";
import type { TranscriptEntry, TranscriptTool } from "../../src/analysis/transcript/entries.js";
import { capturedTraces } from "./captured-traces.js";

/** What a part says, without its role and its ids. */
function saidBy(part: SpanPart): string[] {
  switch (part.kind) {
    case "text":
    case "reasoning":
      return [`${part.kind}: ${JSON.stringify(part.text)}`];
    case "call":
      return [
        `call: ${part.name} ${canonicalData(part.arguments ?? {})}`,
        ...(part.result === undefined ? [] : [`result: ${canonicalData(part.result.response)}`]),
      ];
    case "result":
      return [`result: ${canonicalData(part.response)}`];
    case "image":
      return [`image: ${JSON.stringify(part.content)}`];
    case "link":
      return [`link: ${part.uri}`];
    case "json":
      return [`json: ${canonicalData(part.value)}`];
  }
}

const saidIn = (messages: readonly SpanMessage[]): string[] =>
  messages.flatMap(({ parts }) => parts.flatMap(saidBy));

const saidByTool = ({ name, call, result, ...tool }: TranscriptTool): string[] => [
  ...(call === undefined ? [] : [`call: ${name} ${canonicalData(tool.arguments ?? {})}`]),
  ...(result === undefined ? [] : [`result: ${canonicalData(result.response)}`]),
];

function saidInEntry(entry: TranscriptEntry): string[] {
  switch (entry.kind) {
    case "message":
      return saidIn([entry.message]);
    case "turn":
      return [...saidIn([...entry.reasoning, ...entry.output]), ...entry.tools.flatMap(saidByTool)];
    case "step":
      return saidByTool(entry.tool);
    case "steps":
    case "handoff":
    case "error":
      return [];
  }
}

const countOf = (list: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
};

describe.each(
  capturedTraces().map((trace) => [`${trace.name} ${trace.traceId.slice(0, 6)}`, trace] as const),
)("the transcript of %s", (_name, { spans }) => {
  const run = readRun(buildSpanTree(spans));
  const { entries } = transcriptOf(run);
  const shown = countOf(entries.flatMap(saidInEntry));
  const models = spans.filter(({ span_type: type }) => type === "llm");

  it("contains everything that a model got or said", () => {
    for (const span of models) {
      const { input, output } = recordedMessages(span);
      for (const said of saidIn([...input, ...output])) expect([...shown.keys()]).toContain(said);
    }
  });

  it("shows nothing more often than it was said", () => {
    for (const [said, count] of shown) {
      if (said.startsWith("result: ")) continue;
      const inOneCall = models.map((span) => {
        const { input, output } = recordedMessages(span);
        return countOf(saidIn([...input, ...output])).get(said) ?? 0;
      });
      const answered = run.calls.map(({ output }) => countOf(saidIn(output)).get(said) ?? 0);
      const most = Math.max(
        1,
        ...inOneCall,
        answered.reduce((sum, each) => sum + each, 0),
      );
      expect([said, count <= most]).toEqual([said, true]);
    }
  });

  it("numbers the steps from 1, and has each of them once", () => {
    expect([...run.numbers.values()].toSorted((a, b) => a - b)).toEqual(
      run.steps.map((_, index) => index + 1),
    );
    const numbers = entries.flatMap((entry) => {
      if (entry.kind === "steps") return entry.steps.map(({ number }) => number);
      if (entry.kind === "step") return [entry.tool.number];
      const own = entry.kind === "turn" || entry.kind === "handoff" ? [entry.number] : [];
      return entry.kind === "turn" ? [...own, ...entry.tools.map(({ number }) => number)] : own;
    });
    const known = numbers.filter((number) => number !== undefined);
    expect(known.toSorted((a, b) => a - b)).toEqual(run.steps.map((_, index) => index + 1));
  });

  it("has unique keys, and is Markdown", () => {
    expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
    expect(transcriptMarkdown({ entries })).toMatch(/\n$/);
  });
});
