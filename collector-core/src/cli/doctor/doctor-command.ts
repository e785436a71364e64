import type { Command } from "commander";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "../collector-options.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../command-failure.js";
import type { Output } from "../output/output.js";
import { wrapped } from "../output/paragraph.js";
import { checkApp } from "./check-app.js";
import { checkCollector } from "./check-collector.js";
import { checkEnvironment } from "./check-environment.js";
import type { Finding } from "./finding.js";

const INDENTATION = " ".repeat(9);

/** `obspan doctor`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(command)
    .addHelpText(
      "after",
      "\nRun it where the app starts: it looks at the same variables and the same directory. It sends a batch without spans.\n" +
        "Exit codes: 0, also with warnings; 1 a problem; 4 no collector answers.",
    )
    .action(context.action((flags: CollectorFlags) => runDoctor(flags, context)));
}

async function runDoctor(flags: CollectorFlags, context: CommandContext): Promise<number> {
  const { env, output } = context;
  const url = new URL(collectorOf(flags, context).url);
  const { isThere, findings } = await checkCollector({
    url,
    apiKey: env["OBS_API_KEY"] || undefined,
    tenant: flags.tenant,
    nowMs: () => Date.now(),
  });
  const all = [
    ...findings,
    ...checkEnvironment({ env, url }),
    ...checkApp({ directory: process.cwd(), env, nodeVersion: process.versions.node }),
  ];
  for (const finding of all)
    if (flags.json === true) output.printJson(finding);
    else print(finding, output);
  if (!isThere) return EXIT.away;
  return all.some(({ status }) => status === "problem") ? EXIT.failed : EXIT.ok;
}

function print({ status, message, remedy }: Finding, output: Output): void {
  const { green, yellow, red, dim } = output.colours;
  const colour = { ok: green, warning: yellow, problem: red }[status];
  const indented = (text: string): string => textLines(text, output).join(`\n${INDENTATION}`);
  output.print(`${colour(status.padEnd(INDENTATION.length - 1))} ${indented(message)}\n`);
  if (remedy !== undefined) output.print(`${INDENTATION}${dim("→")} ${indented(remedy)}\n`);
}

function textLines(text: string, { columns }: Output): string[] {
  // The arrow of a remedy takes two columns.
  return wrapped(text.split(" "), " ", columns === undefined ? undefined : columns - INDENTATION.length - 2);
}
