import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { InvalidArgumentError, type Command } from "commander";
import { evaluationTypeName } from "../../api-schema/evaluation-types.js";
import type { TraceSummary } from "../../api-schema/trace.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { whole } from "../../runtime/counted.js";
import type { CollectorClient } from "../collector-client.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "../collector-options.js";
import type { CommandContext } from "../command-context.js";
import { CommandFailure, EXIT } from "../command-failure.js";
import { parseDuration } from "../durations.js";
import type { Output } from "../output/output.js";
import { tableText } from "../output/table.js";
import { wholeNumber } from "../query-argument.js";
import { readTraces, type ReadTraces } from "../read-pages.js";
import { shortId } from "../trace-columns.js";
import { FIGURE_NAMES, judge, parseExpectation, type Expectation, type Verdict } from "./expectation.js";
import { githubAnnotation, junitReport, missText, valueText } from "./reports.js";

const POLL_MS = 1000;

interface EvalFlags extends CollectorFlags {
  readonly query: string;
  readonly expect: readonly Expectation[];
  readonly limit: number;
  readonly wait?: number;
  readonly junit?: string;
  readonly allowEmpty?: boolean;
}

/** `obspan eval`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(command)
    .requiredOption("--query <query>", "the runs, such as 'service:shop start:>-15m @ci.run:123'")
    .requiredOption(
      "--expect <condition>",
      "what they must be like; may be repeated",
      (text: string, before: readonly Expectation[] | undefined) => [
        ...(before ?? []),
        parseExpectation(text),
      ],
    )
    .option("--wait <duration>", "how long to wait for running traces and missing scores", durationArgument)
    .option("--limit <n>", "runs that are read, the newest first", wholeNumber(1, 100_000), 10_000)
    .option("--junit <file>", "write a report in the format of JUnit")
    .option("--allow-empty", "exit with 0 if no run matches")
    .addHelpText(
      "after",
      `\nFigures: ${FIGURE_NAMES}.\nComparisons: <, <=, >, >=, =. A score is the mean of the runs that have one.\n` +
        "Exit codes: 0 all met; 1 one is missed; 3 no run matches. With GITHUB_ACTIONS, what is missed is an annotation.",
    )
    .action(context.action(async (flags: EvalFlags) => await run(flags, context)));
}

function durationArgument(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new InvalidArgumentError("It must be a duration such as 30s or 2m.");
  return seconds * 1000;
}

async function run(flags: EvalFlags, context: CommandContext): Promise<number> {
  const { output, env } = context;
  const { query, expect, junit } = flags;
  const startedMs = performance.now();
  const { traces: runs, hasMore } = await readyRuns(collectorOf(flags, context), flags, output);
  const verdicts = expect.map((expectation) => judge(expectation, runs));
  if (junit !== undefined) {
    const shown = runs.length === 0 && flags.allowEmpty ? [] : verdicts;
    writeReport(junit, junitReport(shown, query, (performance.now() - startedMs) / 1000));
  }
  if (runs.length === 0) {
    output.note("No run matches.\n");
    return flags.allowEmpty ? EXIT.ok : EXIT.nothing;
  }
  if (flags.json) for (const verdict of verdicts) output.printJson(verdictJson(verdict));
  else print(verdicts, runs.length, output);
  // A build must not pass unnoticed by the runs that nobody looked at.
  if (hasMore) output.note(`More runs match than the newest ${whole(runs.length)}: --limit reads more.\n`);
  const missed = verdicts.filter(({ isMet }) => !isMet);
  if (env["GITHUB_ACTIONS"] === "true") for (const verdict of missed) output.note(githubAnnotation(verdict));
  return missed.length === 0 ? EXIT.ok : EXIT.failed;
}

/** The runs that match, after those that are running have ended and have been judged, or the wait is over. */
async function readyRuns(
  client: CollectorClient,
  { query, expect, limit, wait: waitMs = 0 }: EvalFlags,
  output: Output,
): Promise<ReadTraces> {
  const types = expect.flatMap(({ scoreType }) => scoreType ?? []);
  const isReady = ({ running, scores }: TraceSummary): boolean =>
    !running &&
    types.every((type) =>
      scores.some((score) => score.type === type || evaluationTypeName(score.type) === type),
    );
  const untilMs = performance.now() + waitMs;
  const progress = output.progress("Waiting for the runs");
  try {
    for (;;) {
      const read = await readTraces(client, query.trim() === "" ? undefined : query, limit);
      const { traces: runs } = read;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0 || (runs.length > 0 && runs.every(isReady))) return read;
      progress.update(`${runs.filter(isReady).length} of ${runs.length} are complete`);
      await wait(Math.min(POLL_MS, leftMs));
    }
  } finally {
    progress.end();
  }
}

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const reason = errorMessage(error);
    throw new CommandFailure(`The report was not written: ${reason}.`, { cause: error });
  }
}

function verdictJson({ expectation, value, runs, isMet, worst }: Verdict): object {
  return {
    expectation: expectation.text,
    met: isMet,
    value: value ?? null,
    runs,
    worst: worst.map(({ trace_id: id }) => id),
  };
}

function print(verdicts: readonly Verdict[], runs: number, output: Output): void {
  const { colours } = output;
  output.print(
    tableText<Verdict>(
      [
        {
          title: "RESULT",
          text: ({ isMet }) => (isMet ? "✓ met" : "✗ missed"),
          colour: ({ isMet }) => (isMet ? colours.green : colours.red),
        },
        {
          title: "EXPECTED",
          text: ({ expectation }) => expectation.text,
          min: 20,
          colour: () => colours.bold,
        },
        { title: "VALUE", text: valueText, align: "right" },
        { title: "RUNS", text: ({ runs: count }) => count.toLocaleString("en-US"), align: "right", rank: 1 },
        {
          title: "WORST",
          text: ({ worst }) => worst.map(({ trace_id: id }) => shortId(id)).join(" "),
          min: 8,
          rank: 2,
          colour: () => colours.cyan,
        },
      ],
      verdicts,
      output,
    ),
  );
  const missed = verdicts.filter(({ isMet }) => !isMet);
  output.print("\n");
  for (const verdict of missed) if (verdict.value === undefined) output.print(`${missText(verdict)}\n`);
  const met = `${verdicts.length - missed.length} of ${verdicts.length} expectations are met by ${runs.toLocaleString("en-US")} ${runs === 1 ? "run" : "runs"}.`;
  output.print(`${missed.length === 0 ? colours.green(met) : colours.red(met)}\n`);
}
