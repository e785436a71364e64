import type { Command } from "commander";
import { byteSizeText } from "../../api-schema/byte-size.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "../collector-options.js";
import type { CommandContext } from "../command-context.js";
import { CommandFailure, EXIT } from "../command-failure.js";
import { addQueryArgument, queryOf } from "../query-argument.js";
import { CountedLines } from "./counted-lines.js";
import { writeFile } from "./write-file.js";

interface ExportFlags extends CollectorFlags {
  readonly output?: string;
  readonly force?: boolean;
}

/** `obspan export [query]`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(addQueryArgument(command))
    .option("-o, --output <file>", "a new file, such as traces.otlp.jsonl; default: stdout")
    .option("--force", "replace the file if it exists")
    .action(
      context.action(
        async (words: string[], flags: ExportFlags) => await run(queryOf(words), flags, context),
      ),
    );
}

async function run(query: string | undefined, flags: ExportFlags, context: CommandContext): Promise<number> {
  const { output } = context;
  const file = flags.output === "-" ? undefined : flags.output;
  if (file === undefined && output.isTerminal)
    throw new CommandFailure("Name a file with --output, or redirect stdout.", { exitCode: EXIT.usage });
  const client = collectorOf(flags, context);
  const response = await client.file("/v1/export", { query });
  response.setEncoding("utf8");
  const progress = output.progress("Exporting");
  const counted = new CountedLines((lines, bytes) =>
    progress.update(`${lines} lines, ${byteSizeText(bytes)}`),
  );
  try {
    if (file !== undefined) await writeFile(file, counted.of(response), flags.force === true);
    else for await (const text of counted.of(response)) output.print(text);
  } finally {
    progress.end();
  }
  const { traces, lines, bytes } = counted;
  if (flags.json && file !== undefined) output.printJson({ file, traces, lines, bytes });
  else
    output.note(
      `${traces.toLocaleString("en-US")} ${traces === 1 ? "trace" : "traces"}, ${byteSizeText(bytes)}${file === undefined ? "" : `, written to ${file}`}.\n`,
    );
  return EXIT.ok;
}
