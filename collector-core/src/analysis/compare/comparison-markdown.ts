import type { FigureDelta, StepPairAnswer, TraceComparison } from "../../api-schema/compare.js";
import type { TraceSummary } from "../../api-schema/trace.js";
import { oneLine } from "../attributes.js";

/** A comparison as Markdown: the runs, their figures, and the steps that differ. */
export function comparisonMarkdown(comparison: TraceComparison): string {
  const { a, b, deltas, scores, steps } = comparison;
  const different = steps
    .map((pair, index) => ({ pair, number: index + 1 }))
    .filter(({ pair }) => isDifferentPair(pair));
  const blocks = [
    `# ${inline(b.root_name)}: two runs`,
    [`- A: ${runText(a)}`, `- B: ${runText(b)}`].join("\n"),
    table(
      ["Figure", "A", "B", "Difference"],
      [
        ["Duration, ms", ...cells(deltas.duration_ms)],
        ["First token, ms", ...cells(deltas.ttft_ms)],
        ["Tokens in", ...cells(deltas.tokens_input)],
        ["Tokens out", ...cells(deltas.tokens_output)],
        ["Cost, USD", ...costCells(deltas.cost_usd, a, b)],
        ["Error spans", ...cells(deltas.errors)],
        ...scores.map((score) => [inline(score.type), ...cells(score)]),
      ],
    ),
    `## ${different.length} of ${steps.length} steps differ`,
    ...(different.length === 0
      ? ["Both runs have the same steps with the same texts."]
      : [
          table(
            ["Step", "Name", "Difference", "Time, ms", "Tokens in", "Cost, USD"],
            different.map(({ pair, number }) => [
              String(number),
              inline((pair.b ?? pair.a)?.name ?? ""),
              differenceText(pair),
              signed(pair.duration_ms),
              signed(pair.tokens_input),
              costCells(pair.cost_usd, pair.a, pair.b)[2],
            ]),
          ),
        ]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** Whether a pair is a difference of two runs. */
export function isDifferentPair({ a, b, differences }: StepPairAnswer): boolean {
  return a === null || b === null || differences.length > 0;
}

/** How a page names what differs. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["system", "system prompt"],
  ["tools", "tool definitions"],
]);

/** What differs between two steps, in words. */
export function differenceText({ a, b, differences, changed_share: share }: StepPairAnswer): string {
  if (a === null) return "only in B";
  if (b === null) return "only in A";
  const percent = share === null ? "" : ` (${Math.round(share * 100)} % of the words)`;
  return differences
    .map((difference) => {
      if (difference === "error") return errorText(a.error, b.error);
      return (NAMES.get(difference) ?? difference) + (difference === "output" ? percent : "");
    })
    .join(", ");
}

function errorText(a: string | null, b: string | null): string {
  if (a === null) return `failed in B: ${inline(b ?? "")}`;
  return b === null ? `failed in A: ${inline(a)}` : `other error in B: ${inline(b)}`;
}

function runText({ trace_id: id, start_time: start, version, service }: TraceSummary): string {
  const parts = [`\`${id.replaceAll("`", "'")}\``, start, inline(service), version ?? ""];
  return parts.filter((part) => part !== "").join(", ");
}

function cells(delta: FigureDelta): [string, string, string] {
  return [number(delta.a), number(delta.b), signed(delta)];
}

/** The same of a cost, marked where a collector computed some of it. */
function costCells(delta: FigureDelta, a: Costed | null, b: Costed | null): [string, string, string] {
  const isComputed = [a, b].map((side) => side?.cost_source === "computed");
  const mark = (text: string, isMarked = false): string => (isMarked && text !== "–" ? `≈ ${text}` : text);
  const [ofA, ofB, difference] = cells(delta);
  return [mark(ofA, isComputed[0]), mark(ofB, isComputed[1]), mark(difference, isComputed.includes(true))];
}

type Costed = Pick<TraceSummary, "cost_source">;

function signed({ delta }: FigureDelta): string {
  return delta === null ? "–" : `${delta > 0 ? "+" : ""}${number(delta)}`;
}

function number(value: number | null): string {
  return value === null ? "–" : String(Math.round(value * 1e6) / 1e6);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cellTexts: readonly string[]): string => `| ${cellTexts.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function inline(text: string): string {
  return oneLine(text, 200).replace(/[*`[\]|]/g, "\\$&");
}
