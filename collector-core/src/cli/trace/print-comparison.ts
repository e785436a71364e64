import { differenceText, isDifferentPair } from "../../analysis/compare/comparison-markdown.js";
import type { FigureDelta, StepPairAnswer, TraceComparison } from "../../api-schema/compare.js";
import type { TraceSummary } from "../../api-schema/trace.js";
import { whole } from "../../runtime/counted.js";
import { durationText } from "../../share/trace-facts.js";
import { moneyText, timeText } from "../output/figures.js";
import type { Output } from "../output/output.js";
import { wrapped } from "../output/paragraph.js";
import { safeLine } from "../output/safe-text.js";
import { tableText } from "../output/table.js";

type Format = (value: number) => string;

interface FigureRow {
  readonly name: string;
  readonly figure: FigureDelta;
  readonly format: Format;
  /** Those of A and B, if a collector computed some of them. */
  readonly computed?: readonly [a: boolean, b: boolean];
}

interface StepRow {
  readonly number: number;
  readonly pair: StepPairAnswer;
  readonly isFirst: boolean;
}

/** Prints what differs between two traces: A, the earlier one, and B. */
export function printComparison(comparison: TraceComparison, output: Output): void {
  const { a, b, deltas, scores, steps, first_divergence: first } = comparison;
  const { colours } = output;
  output.print(`${runLine("A", a, output)}${runLine("B", b, output)}\n`);
  const figures: readonly FigureRow[] = [
    { name: "time", figure: deltas.duration_ms, format: durationText },
    { name: "first token", figure: deltas.ttft_ms, format: durationText },
    { name: "tokens in", figure: deltas.tokens_input, format: whole },
    { name: "tokens out", figure: deltas.tokens_output, format: whole },
    { name: "cost", figure: deltas.cost_usd, format: moneyText, computed: [isComputed(a), isComputed(b)] },
    { name: "errors", figure: deltas.errors, format: whole },
    ...scores.map((score) => ({
      name: score.type,
      figure: score,
      format: (value: number) => value.toFixed(2),
    })),
  ];
  output.print(
    tableText<FigureRow>(
      [
        { title: "FIGURE", text: ({ name }) => name },
        {
          title: "A",
          text: ({ figure, format, computed }) => marked(shown(figure.a, format), computed?.[0]),
          align: "right",
        },
        {
          title: "B",
          text: ({ figure, format, computed }) => marked(shown(figure.b, format), computed?.[1]),
          align: "right",
        },
        {
          title: "B − A",
          text: ({ figure, format, computed }) => marked(signed(figure, format), computed?.includes(true)),
          align: "right",
        },
      ],
      figures.filter(({ figure }) => figure.a !== null || figure.b !== null),
      output,
    ),
  );
  const different = steps
    .map((pair, index): StepRow => ({ number: index + 1, pair, isFirst: index === first }))
    .filter(({ pair }) => isDifferentPair(pair));
  output.print(`\n${colours.bold(`${different.length} of ${steps.length} steps differ`)}\n`);
  if (different.length > 0)
    output.print(
      tableText<StepRow>(
        [
          { title: "A", text: ({ pair }) => numbered(pair.a), align: "right" },
          { title: "B", text: ({ pair }) => numbered(pair.b), align: "right" },
          {
            title: "STEP",
            text: ({ pair }) => [(pair.b ?? pair.a)?.name, (pair.b ?? pair.a)?.hint ?? ""].join(" "),
            min: 16,
            colour: ({ isFirst }) => (isFirst ? colours.yellow : undefined),
          },
          {
            title: "DIFFERENCE",
            text: ({ pair, isFirst }) => `${isFirst ? "first: " : ""}${differenceText(pair)}`,
            min: 20,
            colour: ({ pair }) =>
              pair.a === null ? colours.green : pair.b === null ? colours.red : undefined,
          },
          {
            title: "TIME",
            text: ({ pair }) => signed(pair.duration_ms, durationText),
            align: "right",
            rank: 1,
          },
          { title: "TOKENS", text: ({ pair }) => signed(pair.tokens_input, whole), align: "right", rank: 2 },
          {
            title: "COST",
            text: ({ pair }) =>
              marked(signed(pair.cost_usd, moneyText), isComputed(pair.a) || isComputed(pair.b)),
            align: "right",
            rank: 3,
          },
        ],
        different,
        output,
      ),
    );
  if (!comparison.has_all_texts)
    output.note("The traces have too much text to compare all of it: other steps may differ too.\n");
}

function runLine(
  name: string,
  { trace_id: traceId, root_name: root, start_time: start, version }: TraceSummary,
  { colours, columns }: Output,
): string {
  const id = safeLine(traceId);
  const facts = [root, version ?? ""].filter((part) => part !== "").map(safeLine);
  const room = columns === undefined ? undefined : columns - INDENT.length;
  const lines = wrapped([`${id}  ${timeText(start, new Date())}`, ...facts], " · ", room);
  return `${colours.bold(name)}  ${colours.cyan(id)}${lines.join(`\n${INDENT}`).slice(id.length)}\n`;
}

/** Below the name of a run, and the spaces behind it. */
const INDENT = "   ";

function numbered(step: StepPairAnswer["a"]): string {
  return step === null ? "" : `#${step.number}`;
}

function shown(value: number | null, format: Format): string {
  return value === null ? "–" : format(value);
}

/** Whether a collector computed some of the cost. */
function isComputed(of: Pick<TraceSummary, "cost_source"> | null): boolean {
  return of?.cost_source === "computed";
}

function marked(text: string, isEstimate: boolean | undefined): string {
  return isEstimate === true && text !== "" ? `≈ ${text}` : text;
}

/** `+1.20 s`, `−$0.0020`; nothing where both are equal. */
function signed({ a, b, delta }: FigureDelta, format: Format): string {
  if (a === null || b === null || delta === null || delta === 0) return "";
  return `${delta > 0 ? "+" : "−"}${format(Math.abs(delta))}`;
}
