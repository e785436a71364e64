import { Transform } from "node:stream";
import type { Command } from "commander";
import { byteSizeText } from "../../api-schema/byte-size.js";
import type { ImportResult } from "../../api-schema/import.js";
import { counted } from "../../runtime/counted.js";
import { errorMessage } from "../../runtime/describe-error.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "../collector-options.js";
import type { CommandContext } from "../command-context.js";
import { CommandFailure, EXIT } from "../command-failure.js";
import { openInput } from "./read-input.js";

/** The collector may write to a slow disk before it answers. */
const TIMEOUT_MS = 120_000;

/** `obspan import [file]`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(
    command.argument("[file]", "as obspan export writes it; default, and for -: stdin"),
  ).action(
    context.action(
      async (file: string | undefined, flags: CollectorFlags) => await run(file, flags, context),
    ),
  );
}

async function run(
  file: string | undefined,
  flags: CollectorFlags,
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  const client = collectorOf(flags, context);
  const { stream, bytes: total } = openInput(file);
  const progress = output.progress("Importing");
  let bytes = 0;
  const measured = new Transform({
    transform(part: Buffer, _encoding, done) {
      bytes += part.length;
      progress.update(
        total === undefined ? byteSizeText(bytes) : `${byteSizeText(bytes)} of ${byteSizeText(total)}`,
      );
      done(null, part);
    },
  });
  let unread: Error | undefined;
  stream.once("error", (error) => {
    unread = error;
    measured.destroy(error);
  });
  try {
    const content = { type: "application/jsonl", data: stream.pipe(measured) };
    const result = await client.post<ImportResult>("/v1/import", content, TIMEOUT_MS);
    progress.end();
    const isEmpty = result.lines === 0 && result.problems.length === 0;
    if (flags.json) output.printJson(result);
    else if (isEmpty) output.note("There is nothing to import.\n");
    else output.print(resultText(result));
    for (const { line, message } of result.problems) output.note(`line ${line}: ${message}\n`);
    if (result.refused_lines + result.refused_spans + result.dropped_spans > 0) return EXIT.failed;
    return isEmpty ? EXIT.nothing : EXIT.ok;
  } catch (error) {
    // The request ends with it: that is no fault of the collector.
    if (unread === undefined) throw error;
    throw new CommandFailure(`${file ?? "stdin"} cannot be read to its end: ${errorMessage(unread)}.`, {
      cause: error,
    });
  } finally {
    progress.end();
    stream.destroy();
  }
}

function resultText(result: ImportResult): string {
  const parts = [
    `${counted(result.traces, "trace")} with ${counted(result.spans, "span")} imported`,
    ...(result.refused_lines > 0 ? [`${counted(result.refused_lines, "line")} refused`] : []),
    ...(result.refused_spans > 0 ? [`${counted(result.refused_spans, "span")} refused`] : []),
    ...(result.dropped_spans > 0 ? [`${counted(result.dropped_spans, "span")} dropped by redaction`] : []),
    ...(result.evicted_traces > 0 ? [`${counted(result.evicted_traces, "older trace")} evicted`] : []),
  ];
  return `${parts.join(", ")}.\n`;
}
