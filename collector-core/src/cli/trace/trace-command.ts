import type { Command } from "commander";
import { readRun, type Run } from "../../analysis/run.js";
import { buildSpanTree, type SpanNode } from "../../analysis/span-tree.js";
import type { TraceComparison } from "../../api-schema/compare.js";
import type { CallContext } from "../../api-schema/context.js";
import type { NormalizedSpan, TraceDetail } from "../../api-schema/trace.js";
import type { CollectorClient } from "../collector-client.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "../collector-options.js";
import type { CommandContext } from "../command-context.js";
import { CommandFailure, EXIT } from "../command-failure.js";
import { findTraceId, TRACE_ID } from "../find-trace.js";
import type { Output } from "../output/output.js";
import { wholeNumber } from "../query-argument.js";
import { printComparison } from "./print-comparison.js";
import { printContext } from "./print-context.js";
import { outlineJson, printOutline } from "./print-outline.js";
import { printStep } from "./print-step.js";

/** Beyond that, long texts of an outline are shortened: it shows their first words. */
const MAX_OUTLINE_BYTES = 16 * 2 ** 20;

interface TraceFlags extends CollectorFlags {
  readonly step?: number;
  readonly context?: boolean;
  readonly compare?: string;
}

/** `obspan trace <id>`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(command.argument("<id>", TRACE_ID))
    .option(
      "--step <n>",
      "one step whole: messages, arguments, result, attributes",
      wholeNumber(1, 1_000_000),
    )
    .option("--context", "what fills the context window of a model call: the last one, or that of --step")
    .option("--compare <id>", "what differs from an earlier run")
    .action(
      context.action(async (text: string, flags: TraceFlags) => {
        if (flags.compare !== undefined && (flags.step !== undefined || flags.context === true))
          throw new CommandFailure("--compare cannot be used with --step or --context.", {
            exitCode: EXIT.usage,
          });
        const client = collectorOf(flags, context);
        const id = await findTraceId(client, text);
        await show(client, id, flags, context.output);
        return EXIT.ok;
      }),
    );
}

async function show(
  client: CollectorClient,
  id: string,
  { step, context, compare, json }: TraceFlags,
  output: Output,
): Promise<void> {
  if (compare !== undefined) {
    const a = await findTraceId(client, compare);
    const comparison = await client.get<TraceComparison>("/v1/compare", "steps", { a, b: id });
    if (json) output.printJson(comparison);
    else printComparison(comparison, output);
    return;
  }
  const detail = await client.get<TraceDetail>("/v1/trace", "spans", {
    trace_id: id,
    max_bytes: MAX_OUTLINE_BYTES,
  });
  const run = readRun(buildSpanTree(detail.spans));
  if (context) {
    const node = step === undefined ? lastCall(run) : stepOf(run, step);
    const answer = await client.get<CallContext>("/v1/context", "parts", { trace_id: id, span_id: node.id });
    if (json) output.printJson(answer);
    else printContext(answer, run, output);
  } else if (step === undefined) {
    if (json) output.printJson(outlineJson(detail, run));
    else printOutline(detail, run, output);
  } else {
    const node = stepOf(run, step);
    const span = await client.get<NormalizedSpan>("/v1/span", "span_id", { trace_id: id, span_id: node.id });
    if (json) output.printJson(span);
    else printStep(span, node, run, output);
  }
}

function stepOf({ steps }: Run, number: number): SpanNode {
  const node = steps[number - 1];
  if (node === undefined)
    throw new CommandFailure(
      steps.length === 0 ? "The trace has no steps." : `The trace has ${steps.length} steps, not ${number}.`,
      { exitCode: EXIT.nothing },
    );
  return node;
}

function lastCall({ calls }: Run): SpanNode {
  const last = calls.toSorted((a, b) => a.node.startMs - b.node.startMs).at(-1);
  if (last === undefined)
    throw new CommandFailure("The trace has no call of a model.", { exitCode: EXIT.nothing });
  return last.node;
}
