import { describe, expect, it } from "vitest";
import { compareRuns } from "../../src/analysis/compare/compare-runs.js";
import { contextOf } from "../../src/analysis/context/index.js";
import { criticalPath } from "../../src/analysis/critical-path.js";
import { measureInSteps } from "../../src/analysis/flame/measured-spans.js";
import { flameOf } from "../../src/analysis/flame/flame.js";
import { whereItWent } from "../../src/analysis/flame/where-it-went.js";
import { runGraph, runGraphInSteps } from "../../src/analysis/graph/build-graph.js";
import { laterReads } from "../../src/analysis/later-reads.js";
import { readRun, readSpansInSteps, type Run } from "../../src/analysis/run.js";
import { readTurn, readTurnInSteps } from "../../src/analysis/session/turn-reading.js";
import { buildSpanTree } from "../../src/analysis/span-tree.js";
import { subtotalsOf } from "../../src/analysis/subtotals.js";
import type { Transcript } from "../../src/analysis/transcript/entries.js";
import { transcriptInSteps, transcriptOf } from "../../src/analysis/transcript/transcript.js";
import type { NormalizedSpan } from "../../src/api-schema/trace.js";
import { cutInSteps } from "../../src/share/cut-texts.js";
import { turnHtml } from "../../src/share/html/session-html.js";
import { traceHtml } from "../../src/share/html/trace-html.js";
import { traceMarkdown } from "../../src/share/trace-markdown.js";
import { newSummary } from "./compare/run-of.js";
import { HOSTILE_SHAPES } from "./hostile-runs.js";
import { newSpan } from "./spans.js";

/** Spans of the smaller trace; the larger one has {@link FACTOR} times as many. */
const SIZE = 500;
const FACTOR = 4;
/** Of linear work 4, of work that grows with the square 16. */
const MOST_GROWTH = 9;
/** Work below is not measured well, and too little to matter. */
const LEAST_MS = 75;
/** What looks like growth may be a garbage collection. */
const TRIES = 4;

/** Everything that is read from a trace, by name. */
const READINGS: Readonly<Record<string, (trace: ReadTrace) => unknown>> = {
  run: ({ spans }) => readRun(buildSpanTree(spans)),
  transcript: ({ run }) => transcriptOf(run),
  graph: ({ run }) => runGraph(run, run.tree.endMs),
  flame: ({ run: { tree } }) => {
    const flame = flameOf(tree, { nowMs: tree.endMs, mergesRepeats: true });
    return (["name", "agent", "model", "type"] as const).map((by) => whereItWent(flame, by));
  },
  subtotals: ({ run: { tree } }) => subtotalsOf(tree, tree.endMs),
  "critical path": ({ run: { tree } }) => criticalPath(tree, tree.endMs),
  "later reads": ({ run }) => laterReads(run, run.tree.nodes),
  comparison: ({ spans, run }) => {
    const trace = newSummary();
    return compareRuns({ trace, run }, { trace, run: readRun(buildSpanTree(spans.slice(1))) });
  },
  context: ({ spans }) => {
    const call = spans.findLast(({ span_type: type }) => type === "llm");
    return call && contextOf(spans, call.span_id, () => undefined);
  },
  Markdown: (trace) => [...traceMarkdown(fileOf(trace))],
  HTML: (trace) => [...traceHtml(fileOf(trace))],
};

interface ReadTrace {
  readonly spans: readonly NormalizedSpan[];
  readonly run: Run;
  readonly transcript: Transcript;
}

function readTrace(spans: readonly NormalizedSpan[]): ReadTrace {
  const run = readRun(buildSpanTree(spans));
  return { spans, run, transcript: transcriptOf(run) };
}

function fileOf({ spans, run, transcript }: ReadTrace) {
  const shared = { summary: newSummary(), spans, leftOut: 0, cut: 0, bytes: 0, isRedacted: false };
  return { shared, run, transcript };
}

/** Processor time: other processes do not count. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** What is read from a trace with pauses, by name. */
const IN_STEPS: Readonly<Record<string, (trace: ReadTrace) => Generator>> = {
  run: ({ spans }) => readSpansInSteps(spans),
  transcript: ({ run }) => transcriptInSteps(run),
  graph: ({ run }) => runGraphInSteps(run, run.tree.endMs),
  flame: ({ run: { tree } }) => measureInSteps(tree, tree.endMs),
  Markdown: (trace) => traceMarkdown(fileOf(trace)),
  HTML: (trace) => traceHtml(fileOf(trace)),
};
/** Spans between two pauses, at most. */
const MOST_AT_ONCE = 1100;

describe("Reading a trace pauses", () => {
  for (const shape of ["a wide star", "a deep chain with a model call at each level", "very many roots"])
    it(`with ${shape}`, () => {
      const trace = readTrace(HOSTILE_SHAPES[shape]?.(MOST_AT_ONCE * 3) ?? []);
      for (const [reading, start] of Object.entries(IN_STEPS)) {
        const pauses = [...start(trace)].length;
        expect(pauses, reading).toBeGreaterThanOrEqual(Math.floor(trace.spans.length / MOST_AT_ONCE));
      }
    });
});

/** Messages of one call: far more than a pause is made for. */
const MANY_MESSAGES = 10 * MOST_AT_ONCE;

/** A call with very many messages, as senders write them. */
const LARGE_CALLS: Readonly<Record<string, (indices: readonly number[]) => Record<string, unknown>>> = {
  "messages in its input": (indices) => ({
    prompt_messages: indices.map((index) => ({
      role: index % 2 ? "assistant" : "user",
      content: `m${index}`,
    })),
  }),
  "messages in its output": (indices) => ({
    completion_messages: indices.map((index) => ({ role: "assistant", content: `m${index}` })),
  }),
  "parts in one message": (indices) => ({
    completion_messages: [
      { role: "assistant", parts: indices.map((index) => ({ type: "reasoning", content: `p${index}` })) },
    ],
  }),
  "tool calls in one message": (indices) => ({
    completion_messages: [
      {
        role: "assistant",
        parts: indices.map((index) => ({ type: "tool_call", id: `c${index}`, name: "f", arguments: {} })),
      },
    ],
  }),
};

describe("Reading a model call pauses", () => {
  for (const [what, attributesOf] of Object.entries(LARGE_CALLS))
    it(`with very many ${what}`, () => {
      const indices = Array.from({ length: MANY_MESSAGES }, (_, index) => index);
      const call = newSpan("s", null, 0, 1, {
        span_type: "llm",
        attributes: attributesOf(indices) as NormalizedSpan["attributes"],
      });
      const trace = readTrace([call]);
      const { run, transcript } = trace;
      const shared = fileOf(trace).shared;
      const readings: Readonly<Record<string, Generator>> = {
        run: readSpansInSteps(trace.spans),
        turn: readTurnInSteps(trace.spans),
        transcript: transcriptInSteps(run),
        "texts to cut": cutInSteps(call),
        Markdown: traceMarkdown(fileOf(trace)),
        HTML: traceHtml(fileOf(trace)),
        "HTML of a turn": turnHtml({ number: 1, trace: shared, reading: readTurn([call]) }, transcript),
      };
      for (const [reading, steps] of Object.entries(readings))
        expect([...steps].length, reading).toBeGreaterThanOrEqual(MANY_MESSAGES / MOST_AT_ONCE);
    });
});

describe("Reading a trace takes time in proportion to its size", () => {
  for (const [shape, spansOf] of Object.entries(HOSTILE_SHAPES))
    it(`with ${shape}`, () => {
      const small = readTrace(spansOf(SIZE));
      const large = readTrace(spansOf(SIZE * FACTOR));
      for (const [reading, read] of Object.entries(READINGS)) {
        const grown: string[] = [];
        for (let tries = 0; tries < TRIES; tries++) {
          const ms = cpuMs(() => read(large));
          if (ms < LEAST_MS) break;
          const smallMs = cpuMs(() => read(small));
          if (ms < smallMs * MOST_GROWTH) break;
          grown.push(
            `${reading}: ${smallMs.toFixed(0)} ms, and ${ms.toFixed(0)} ms for ${FACTOR} times as much`,
          );
        }
        expect(grown.length, grown.join("\n")).toBeLessThan(TRIES);
      }
    });
});
