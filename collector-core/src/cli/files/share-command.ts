import { statSync } from "node:fs";
import { Option, type Command } from "commander";
import { byteSizeText } from "../../api-schema/byte-size.js";
import { SHARE_FORMATS, type ShareFormat } from "../../api-schema/share.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "../collector-options.js";
import type { CommandContext } from "../command-context.js";
import { EXIT } from "../command-failure.js";
import { findTraceId, TRACE_ID } from "../find-trace.js";
import { safeText } from "../output/safe-text.js";
import { writeFile } from "./write-file.js";

interface ShareFlags extends CollectorFlags {
  /** Default: html, of a session markdown. */
  readonly format?: ShareFormat;
  readonly session?: boolean;
  readonly output?: string;
  readonly raw?: boolean;
  readonly force?: boolean;
}

/** `obspan share <id>`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(command.argument("<id>", `${TRACE_ID}; with --session, the id of a session`))
    .option("--session", "the conversation of a session")
    .addOption(
      new Option(
        "--format <format>",
        "html opens in a browser without a network; jsonl is for obspan import; default: html, of a session markdown",
      ).choices(Object.keys(SHARE_FORMATS)),
    )
    .option(
      "-o, --output <file>",
      "a new file; - for stdout; default: trace-<id> or session-<id> in this directory",
    )
    .option("--raw", "keep personal data and secrets, which are replaced in html and markdown")
    .option("--force", "replace the file if it exists")
    .action(context.action(async (text: string, flags: ShareFlags) => await run(text, flags, context)));
}

async function run(text: string, flags: ShareFlags, context: CommandContext): Promise<number> {
  const { output } = context;
  const { raw } = flags;
  const what = flags.session === true ? "session" : "trace";
  const format = flags.format ?? (what === "session" ? "markdown" : "html");
  const client = collectorOf(flags, context);
  const id = what === "session" ? text : await findTraceId(client, text);
  const response = await client.file(`/v1/${what}-export`, {
    [`${what}_id`]: id,
    format,
    raw: format !== "jsonl" && raw === true ? true : undefined,
  });
  response.setEncoding("utf8");
  const parts = response as AsyncIterable<string>;
  if (flags.output === "-") {
    for await (const part of parts) output.print(output.isTerminal ? safeText(part) : part);
    return EXIT.ok;
  }
  // An id may have any characters.
  const name = id.replace(/[^\w-]+/g, "-").slice(0, 64);
  const file = flags.output ?? `${what}-${name}.${SHARE_FORMATS[format].ending}`;
  await writeFile(file, parts, flags.force === true);
  const { size: bytes } = statSync(file);
  if (flags.json) output.printJson({ file, bytes });
  else output.print(`${file}\n`);
  const isRedacted = format !== "jsonl" && raw !== true;
  output.note(
    `${byteSizeText(bytes)}. ${isRedacted ? "Personal data and secrets that the built-in patterns know are replaced." : "Texts are as they were recorded."}\n`,
  );
  return EXIT.ok;
}
