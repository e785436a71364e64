import { setTimeout as wait } from "node:timers/promises";
import type { Command } from "commander";
import { counted } from "../../runtime/counted.js";
import { CollectorError, type CollectorClient } from "../collector-client.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "../collector-options.js";
import type { CommandContext } from "../command-context.js";
import { CommandFailure, EXIT } from "../command-failure.js";
import { openInput } from "./read-input.js";
import { readRequests, type SpanRequest } from "./span-requests.js";

const MAX_ATTEMPTS = 5;
const LONGEST_WAIT_SECONDS = 60;
/** Problems that are listed. */
const MAX_PROBLEMS = 20;

interface SendFlags extends CollectorFlags {
  readonly service?: string;
  readonly env?: string;
}

/** What became of what was sent. */
interface Sent {
  accepted: number;
  refused: number;
  /** The first {@link MAX_PROBLEMS}. */
  readonly problems: { readonly line: number; readonly message: string }[];
  moreProblems: number;
}

/** `obspan send [file]`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(command.argument("[file]", "default, and for -: stdin"))
    .option("--service <name>", "service of spans without a batch")
    .option("--env <name>", "environment of spans without a batch")
    .addHelpText(
      "after",
      '\nA file has one value, or one a line: a batch {"service", "spans"}, a span {"name", "trace_id", …}, a list of spans, or OTLP ' +
        '{"resourceSpans"}. What is accepted counts in the metrics; obspan import adds traces without counting them.',
    )
    .action(
      context.action(async (file: string | undefined, flags: SendFlags) => await run(file, flags, context)),
    );
}

async function run(file: string | undefined, flags: SendFlags, context: CommandContext): Promise<number> {
  const { output } = context;
  const client = collectorOf(flags, context);
  const { stream } = openInput(file);
  const sent: Sent = { accepted: 0, refused: 0, problems: [], moreProblems: 0 };
  const progress = output.progress("Sending");
  try {
    for await (const request of readRequests(stream, { service: flags.service, env: flags.env })) {
      await sendOne(client, request, sent);
      progress.update(`${sent.accepted.toLocaleString("en-US")} spans`);
    }
  } finally {
    progress.end();
    stream.destroy();
  }
  for (const { line, message } of sent.problems) output.note(`line ${line}: ${message}\n`);
  if (sent.moreProblems > 0) output.note(`and ${sent.moreProblems.toLocaleString("en-US")} more problems\n`);
  const { accepted, refused, problems } = sent;
  if (flags.json) output.printJson({ accepted, refused, problems });
  else if (accepted + refused + problems.length === 0) output.note("There is nothing to send.\n");
  else
    output.print(
      `${counted(accepted, "span")} accepted${refused === 0 ? "" : `, ${counted(refused, "span")} refused`}.\n`,
    );
  if (problems.length > 0 || refused > 0) return EXIT.failed;
  return accepted === 0 ? EXIT.nothing : EXIT.ok;
}

async function sendOne(client: CollectorClient, request: SpanRequest, sent: Sent): Promise<void> {
  const { line, spans } = request;
  const note = (message: string): void => {
    if (sent.problems.length < MAX_PROBLEMS) sent.problems.push({ line, message });
    else sent.moreProblems++;
  };
  if (request.type === "problem") {
    note(request.message);
    return;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await client.post<Answer>(request.path, {
        type: "application/json",
        data: JSON.stringify(request.value),
      });
      if (request.path === "/v1/telemetry" && answer.status !== "accepted")
        throw new CommandFailure(`${client.url} is no collector: it does not say what it accepted.`, {
          exitCode: EXIT.away,
        });
      const { rejectedSpans = 0, errorMessage = "" } = answer.partialSuccess ?? {};
      const refused = Math.min(Number(rejectedSpans) || 0, spans);
      if (refused > 0)
        note(`${counted(refused, "span")} refused${errorMessage === "" ? "" : `: ${errorMessage}`}`);
      sent.accepted += spans - refused;
      sent.refused += refused;
      return;
    } catch (error) {
      if (!(error instanceof CollectorError) || error.status === 401 || error.status === 403) throw error;
      const isBusy = error.status === 429 || error.status === 503;
      if (!isBusy && request.halves !== undefined) {
        // A batch is refused whole: the spans that are not at fault are sent without it.
        for (const half of request.halves()) await sendOne(client, half, sent);
        return;
      }
      if (!isBusy || attempt === MAX_ATTEMPTS) {
        note(error.message);
        sent.refused += spans;
        return;
      }
      await wait(Math.min(error.retryAfterSeconds ?? attempt, LONGEST_WAIT_SECONDS) * 1000);
    }
  }
}

/** Of both routes. */
interface Answer {
  readonly status?: string;
  readonly partialSuccess?: {
    readonly rejectedSpans?: string | number;
    readonly errorMessage?: string;
  };
}
