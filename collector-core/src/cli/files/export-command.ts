import type { Command } from "commander";
import { byteSizeText } from "../../api-schema/byte-size.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "../collector-options.js";
import type { CommandContext } from "../command-context.js";
import { CommandFailure, EXIT } from "../command-failure.js";
import { addQueryArgument, queryOf } from "../query-argument.js";
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
    if (file !== undefined) await writeFile(file, counted.of(response), { isReplaced: flags.force === true });
    else for await (const text of counted.of(response)) output.print(text);
  } finally {
    progress.end();
  }
  const { lines, bytes } = counted;
  const traces = counted.traces.size;
  if (flags.json && file !== undefined) output.printJson({ file, traces, lines, bytes });
  else
    output.note(
      `${traces.toLocaleString("en-US")} ${traces === 1 ? "trace" : "traces"}, ${byteSizeText(bytes)}${file === undefined ? "" : `, written to ${file}`}.\n`,
    );
  return EXIT.ok;
}

/** Counts the lines of an export and the traces in them. */
class CountedLines {
  readonly traces = new Set<string>();
  lines = 0;
  bytes = 0;
  readonly #onProgress: (lines: number, bytes: number) => void;
  /** The end of the text so far, in which the id of a trace may begin. */
  #rest = "";

  constructor(onProgress: (lines: number, bytes: number) => void) {
    this.#onProgress = onProgress;
  }

  /** The parts as they are. @throws CommandFailure if they are cut off, or if there is no trace. */
  async *of(parts: AsyncIterable<string>): AsyncGenerator<string> {
    try {
      for await (const part of parts) {
        this.#count(part);
        yield part;
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandFailure(`The export was cut off after ${byteSizeText(this.bytes)}: ${reason}.`, {
        cause: error,
        exitCode: EXIT.away,
      });
    }
    if (this.traces.size === 0) throw new CommandFailure("No trace matches.", { exitCode: EXIT.nothing });
  }

  #count(part: string): void {
    this.bytes += Buffer.byteLength(part);
    for (let at = part.indexOf("\n"); at !== -1; at = part.indexOf("\n", at + 1)) this.lines++;
    const text = this.#rest + part;
    for (const [, id = ""] of text.matchAll(/"traceId":"([0-9a-f]{32})"/g)) this.traces.add(id);
    this.#rest = text.slice(-50);
    this.#onProgress(this.lines, this.bytes);
  }
}
