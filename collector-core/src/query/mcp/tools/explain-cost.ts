import { costOf } from "../../../analysis/attributes.js";
import { measureInSteps, type MeasuredSpan } from "../../../analysis/flame/measured-spans.js";
import { whereItWent } from "../../../analysis/flame/where-it-went.js";
import { addUsage, leafUsageOf, NO_USAGE, type Usage } from "../../../analysis/leaf-usage.js";
import { agentName, type ModelCall } from "../../../analysis/model-calls.js";
import type { Run } from "../../../analysis/run.js";
import type { SpanNode } from "../../../analysis/span-tree.js";
import { MAX_ROWS, type Answer, type Cell, type Section } from "../answer/answer.js";
import { runInSlices, type Steps } from "../../../runtime/steps.js";
import { counted } from "../../../runtime/counted.js";
import { markedCost } from "../../../share/trace-facts.js";
import { asCost, asCount, asShare, costCell } from "../formats.js";
import type { ReadTraceRun, TraceRun } from "../read-run.js";
import { ARGUMENTS, defineTool, type Tool } from "../tool.js";
import { tenantOf } from "./search-traces.js";
import { stepAround, stepName } from "./step-names.js";

/** Steps that are listed. */
const MOST_STEPS = 15;

/** Where the tokens and the money of a run went. */
export function explainCost(readRun: ReadTraceRun): Tool {
  return defineTool({
    name: "explain_cost",
    title: "Explain the cost of a trace",
    description:
      "Shows where the tokens and the money of one run went: by model, by agent, and the most expensive steps, with what was read " +
      "from the prompt cache. Use explain_context on an expensive step to see what fills its prompt, and search_traces with " +
      "group_by and sort cost for the cost of many runs.",
    arguments: { trace_id: ARGUMENTS.traceId },
    run: ({ trace_id, ...rest }, { signal }) =>
      readRun({ trace_id, ...tenantOf(rest) }, signal, (traceRun, timeSlice) =>
        runInSlices(costAnswer(traceRun), timeSlice),
      ),
  });
}

type Spent = Pick<MeasuredSpan, "node" | "usage">;

function* costAnswer({ run }: TraceRun): Steps<Answer> {
  const measured = yield* measureInSteps(run.tree, run.tree.endMs);
  const spent = measured.filter(({ usage }) => usage.input + usage.output + usage.costUsd > 0);
  const total = spent.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
  if (spent.length === 0)
    return {
      lead: "No span of the trace has tokens or a cost.",
      sections: [],
      notes: ["get_trace shows its steps."],
    };
  const isByCost = total.costUsd > 0;
  const computed = spent.filter(({ node }) => costOf(node.span)?.isComputed === true).length;
  const unpriced = spent.filter(
    ({ node, usage }) => costOf(node.span) === undefined && usage.input + usage.output > 0,
  ).length;
  yield;
  const byModel = sums("model", spent, total);
  yield;
  const byAgent = sums("agent", spent, total);
  yield;
  return {
    lead:
      `${counted(spent.length, "span")} used ${asCount(total.input) || "0"} tokens in (${asShare(total.input === 0 ? 0 : total.cached / total.input)} ` +
      `from a cache) and ${asCount(total.output) || "0"} out${isByCost ? `, for ${markedCost(total.costUsd, total.isComputed)}` : "; no cost is known"}.`,
    sections: [byModel, byAgent, topSteps(spent, total, run), ...growth(run.calls)],
    notes: [
      ...(computed === 0
        ? []
        : [`The cost of ${counted(computed, "span")} was computed from the price of the model.`]),
      ...(unpriced === 0
        ? []
        : [`${counted(unpriced, "span")} with tokens have no cost: the price of the model is not known.`]),
      "What fills the prompt of a step: explain_context with its step.",
    ],
  };
}

const FIGURES = [
  { name: "tokens in", format: asCount },
  { name: "from cache", format: asCount },
  { name: "tokens out", format: asCount },
  { name: "cost", format: asCost },
  { name: "share", format: asShare },
];

function figuresOf(usage: Usage, total: Usage): Cell[] {
  const cost = costCell(usage.costUsd, usage.isComputed);
  return [usage.input, usage.cached, usage.output, cost, shareOf(usage, total)];
}

/** The share of the cost; of the tokens where no cost is known. */
function shareOf(usage: Usage, total: Usage): number {
  if (total.costUsd > 0) return usage.costUsd / total.costUsd;
  return (usage.input + usage.output) / Math.max(1, total.input + total.output);
}

function sums(by: "model" | "agent", spent: readonly MeasuredSpan[], total: Usage): Section {
  const groups = whereItWent({ spans: spent }, by);
  return {
    kind: "table",
    title: `By ${by}`,
    columns: [{ name: by, length: 80 }, { name: "calls" }, ...FIGURES],
    total: groups.length,
    rows: groups
      .toSorted((a, b) => shareOf(b.usage, total) - shareOf(a.usage, total))
      .slice(0, MAX_ROWS)
      .map(({ label = `(no ${by})`, nodes, usage }) => [label, nodes.length, ...figuresOf(usage, total)]),
  };
}

function topSteps(spent: readonly Spent[], total: Usage, run: Run): Section {
  const top = spent
    .toSorted((a, b) => shareOf(b.usage, total) - shareOf(a.usage, total))
    .slice(0, MOST_STEPS);
  return {
    kind: "table",
    title: top.length < spent.length ? `The ${top.length} most expensive steps of ${spent.length}` : "Steps",
    columns: [{ name: "step" }, { name: "what", length: 100 }, ...FIGURES],
    rows: top.map(({ node, usage }) => [
      stepAround(node, run) ?? null,
      stepName(node, run),
      ...figuresOf(usage, total),
    ]),
  };
}

/** How the input of each agent grew over its calls: what is sent again and again is the usual reason of a high cost. */
function growth(calls: readonly ModelCall[]): Section[] {
  const byAgent = new Map<SpanNode | undefined, ModelCall[]>();
  for (const call of calls) {
    const list = byAgent.get(call.agent);
    if (list === undefined) byAgent.set(call.agent, [call]);
    else list.push(call);
  }
  const rows = [...byAgent]
    .filter(([, list]) => list.length > 1)
    .map(([agent, list]) => {
      const inputs = list.map(({ node }) => leafUsageOf(node).input);
      return [
        agent === undefined ? "(no agent)" : agentName(agent),
        list.length,
        inputs[0] ?? 0,
        inputs.at(-1) ?? 0,
        inputs.reduce((sum, tokens) => sum + tokens, 0),
      ];
    });
  if (rows.length === 0) return [];
  return [
    {
      kind: "table",
      title: "Growth of the input",
      total: rows.length,
      columns: [
        { name: "agent", length: 80 },
        { name: "calls" },
        { name: "first call", format: asCount },
        { name: "last call", format: asCount },
        { name: "all calls", format: asCount },
      ],
      rows: rows.slice(0, MAX_ROWS),
    },
  ];
}
