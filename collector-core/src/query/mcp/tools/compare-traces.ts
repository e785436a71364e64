import { Type } from "typebox";
import {
  comparisonHead,
  pairAnswer,
  type Comparison,
  type StepPair,
} from "../../../analysis/compare/index.js";
import { differenceText, isDifferentPair } from "../../../analysis/compare/comparison-markdown.js";
import { compareStepTexts, type TextSection } from "../../../analysis/compare/step-texts.js";
import type { ComparedStep } from "../../../analysis/compare/compared-step.js";
import type { FigureDelta, StepPairAnswer, TraceComparison } from "../../../api-schema/compare.js";
import type { NormalizedSpan } from "../../../api-schema/trace.js";
import type { Steps } from "../../../runtime/steps.js";
import type { ComparedSpans } from "../../compared-spans.js";
import type { CompareTraces } from "../../compare-traces.js";
import { MAX_ROWS, type Answer, type Cell, type Format, type Section } from "../answer/answer.js";
import { counted } from "../../../runtime/counted.js";
import {
  asCost,
  asCostDelta,
  asCount,
  asCountDelta,
  asDuration,
  asDurationDelta,
  costCell,
} from "../formats.js";
import { ARGUMENTS, defineTool, type Tool } from "../tool.js";
import { statusText, tenantOf } from "./search-traces.js";

/** Steps whose changed texts are shown. */
const SHOWN_STEPS = 4;
/** Values of a pair whose texts are compared in one turn. A call of 500 messages has some 3,000. */
const MAX_PAIR_VALUES = 20_000;
/** Characters of the changed texts of a section whose words are compared: a pair is compared in one turn. */
const MAX_PAIR_CHARACTERS = 150_000;
/** Pairs between two pauses. */
const PAUSE = 100;
/** Characters around a change. */
const AROUND = 120;

/** Compares two runs. */
export function compareTracesTool(compare: CompareTraces): Tool {
  return defineTool({
    name: "compare_traces",
    title: "Compare two traces",
    description:
      "Puts two runs beside each other: where they first diverge, which prompts, arguments, models, tools or results changed (word " +
      "by word), which steps only one run has, and the differences of time, tokens, cost, errors and scores. Use it to find out why " +
      "a run fails, costs more or answers differently than one that was good. a is the earlier or good run, b the one in question.",
    arguments: {
      a: ARGUMENTS.traceId,
      b: Type.String({ minLength: 1, maxLength: 128, description: "Id of the trace to compare with it." }),
      from: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: "Begins the list of different steps at this position, for the rest of a long list.",
        }),
      ),
    },
    run: ({ a, b, from = 1, ...rest }, { signal }) =>
      compare({ a, b, ...tenantOf(rest) }, signal, (comparison, spans) =>
        answerInSteps(comparison, spans, from),
      ),
  });
}

function* answerInSteps(comparison: Comparison, spans: ComparedSpans, from: number): Steps<Answer> {
  const head = comparisonHead(comparison, spans.hasAll);
  const different: { pair: StepPair; answer: StepPairAnswer; position: number }[] = [];
  for (const [index, pair] of comparison.pairs.entries()) {
    const answer = pairAnswer(pair);
    if (isDifferentPair(answer)) different.push({ pair, answer, position: index + 1 });
    if (index % PAUSE === PAUSE - 1) yield;
  }
  const shown = different.slice(from - 1, from - 1 + MAX_ROWS);
  const texts: Section[] = [];
  const tooLarge: number[] = [];
  for (const { pair, position } of shown.slice(0, SHOWN_STEPS)) {
    if (valuesOf(pair) > MAX_PAIR_VALUES) tooLarge.push(position);
    else {
      const changed = changedTexts(pair, position, spans);
      if (changed !== undefined) texts.push(changed);
    }
    yield;
  }
  const first = head.first_divergence;
  return {
    lead:
      different.length === 0
        ? `Both runs have the same ${counted(comparison.pairs.length, "step")} with the same texts.`
        : `${different.length} of ${counted(comparison.pairs.length, "step")} differ${first === null ? "" : `; the runs first diverge at position ${first + 1}`}. B minus A.`,
    sections: [
      ...(from === 1 ? [runsTable(head), figuresTable(head)] : []),
      {
        kind: "table",
        title: "Steps that differ",
        columns: [
          { name: "position" },
          { name: "step in A" },
          { name: "step in B" },
          { name: "name", length: 100 },
          { name: "difference", length: 220 },
          { name: "time", format: asDurationDelta },
          { name: "tokens in", format: asCountDelta },
          { name: "cost", format: asCostDelta },
        ],
        total: Math.max(0, different.length - from + 1),
        rows: shown.map(({ answer, position }) => differentRow(answer, position)),
        rest: (count) => `compare_traces with from ${from + count}`,
      },
      ...texts,
    ],
    notes: [
      "A step whole: get_trace with the trace_id of A or B and its step.",
      ...(tooLarge.length === 0
        ? []
        : [`Too many values to compare word by word: the steps at ${tooLarge.join(", ")}.`]),
      ...(head.has_all_texts
        ? []
        : [
            "The traces have too much text to compare all of it: steps without a difference may still differ in their texts.",
          ]),
    ],
  };
}

function runsTable({ a, b }: Omit<TraceComparison, "steps">): Section {
  return {
    kind: "table",
    title: "Runs",
    columns: [
      { name: "run" },
      { name: "trace_id", length: 128 },
      { name: "name", length: 60 },
      { name: "version", length: 40 },
      { name: "started" },
      { name: "status", length: 60 },
      { name: "output", length: 200 },
    ],
    rows: (
      [
        ["A", a],
        ["B", b],
      ] as const
    ).map(([run, trace]) => [
      run,
      trace.trace_id,
      trace.root_name,
      trace.version,
      trace.start_time,
      statusText(trace),
      trace.output_preview,
    ]),
  };
}

function figuresTable({ a: runA, b: runB, deltas, scores }: Omit<TraceComparison, "steps">): Section {
  const row = (
    name: string,
    { a, b, delta }: FigureDelta,
    format: Format,
    change: Format,
    computed: readonly [a: boolean, b: boolean] = [false, false],
  ): Cell[] => {
    const text = (value: number | null, as: Format, isMarked: boolean): string => {
      const shown = value === null ? "" : as(value);
      return isMarked && shown !== "" ? `≈ ${shown}` : shown;
    };
    return [
      name,
      text(a, format, computed[0]),
      text(b, format, computed[1]),
      text(delta, change, computed.includes(true)),
    ];
  };
  const plain: Format = (value) => String(Number(value.toPrecision(4)));
  return {
    kind: "table",
    title: "Figures",
    columns: [{ name: "figure", length: 60 }, { name: "A" }, { name: "B" }, { name: "difference" }],
    rows: [
      row("duration", deltas.duration_ms, asDuration, asDurationDelta),
      row("first token", deltas.ttft_ms, asDuration, asDurationDelta),
      row("tokens in", deltas.tokens_input, asCount, asCountDelta),
      row("tokens out", deltas.tokens_output, asCount, asCountDelta),
      row("cost", deltas.cost_usd, asCost, asCostDelta, [isComputed(runA), isComputed(runB)]),
      row("failed spans", deltas.errors, plain, asCountDelta),
      ...scores.map((score) => row(score.type, score, plain, plain)),
    ].filter(([, a, b]) => a !== "" || b !== ""),
  };
}

function differentRow(answer: StepPairAnswer, position: number): Cell[] {
  const { a, b } = answer;
  return [
    position,
    a?.number ?? null,
    b?.number ?? null,
    [(b ?? a)?.name, (b ?? a)?.hint].filter(Boolean).join(" "),
    differenceText(answer),
    answer.duration_ms.delta,
    answer.tokens_input.delta,
    costCell(answer.cost_usd.delta, isComputed(a) || isComputed(b)),
  ];
}

/** Whether a collector computed some of the cost of a run or a step. */
function isComputed(of: Pick<TraceComparison["a"], "cost_source"> | null): boolean {
  return of?.cost_source === "computed";
}

function valuesOf({ a, b }: StepPair): number {
  return [a, b]
    .flatMap((step) => step?.call?.sources ?? step?.node.span ?? [])
    .reduce((sum, { attributes }) => sum + countValues(attributes), 0);
}

function countValues(value: unknown): number {
  if (value === null || typeof value !== "object") return 1;
  return Object.values(value).reduce((sum: number, item) => sum + countValues(item), 1);
}

/** What changed in a step, with a few words around each change. */
function changedTexts({ a, b }: StepPair, position: number, spans: ComparedSpans): Section | undefined {
  if (a === undefined || b === undefined) return undefined;
  const { isModelCall, sections, parameters } = compareStepTexts(
    wholeSpans(a, spans),
    wholeSpans(b, spans),
    MAX_PAIR_CHARACTERS,
  );
  const values = parameters
    .filter(({ isEqual }) => !isEqual)
    .map(({ name, a: before, b: after }) => `${name}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`);
  const text = [...values, ...sections.flatMap((section) => changesOf(section, isModelCall))].join("\n");
  return text === ""
    ? undefined
    : { kind: "text", title: `Changes at position ${position} ([-only in A-] [+only in B+])`, text };
}

function changesOf({ name, items }: TextSection, isModelCall: boolean): string[] {
  return items.flatMap(({ kind, label, a, b, diff }) => {
    const what = isModelCall && label !== name ? `${name}, ${label}` : name;
    if (kind === "only_a") return [`${what}: [-${clip(a ?? "")}-]`];
    if (kind === "only_b") return [`${what}: [+${clip(b ?? "")}+]`];
    return diff === undefined ? [] : [`${what}: ${diff.pieces.map(pieceText).join("")}`];
  });
}

function pieceText({
  kind,
  text,
}: {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}): string {
  if (kind === "removed") return `[-${clip(text)}-]`;
  if (kind === "added") return `[+${clip(text)}+]`;
  return text.length <= AROUND * 2 ? text : `${text.slice(0, AROUND)} … ${text.slice(-AROUND)}`;
}

function clip(text: string): string {
  return text.length <= 600 ? text : `${text.slice(0, 600)}…`;
}

/** The spans of a step with their texts whole, as far as they were kept. */
function wholeSpans({ node, call }: ComparedStep, spans: ComparedSpans): NormalizedSpan[] {
  const sources = call === undefined ? [node.span] : call.sources;
  return sources.map((span) => ({
    ...span,
    attributes: restored(span.attributes, spans) as NormalizedSpan["attributes"],
  }));
}

function restored(value: unknown, spans: ComparedSpans): unknown {
  if (typeof value === "string") return spans.fullText(value) ?? value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => restored(item, spans));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, restored(item, spans)]));
}
