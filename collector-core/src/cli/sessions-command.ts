import { Option, type Command } from "commander";
import type { SessionList, SessionSummary } from "../api-schema/sessions.js";
import { costOfSum, durationText } from "../share/trace-facts.js";
import { addCollectorOptions, collectorOf, type CollectorFlags } from "./collector-options.js";
import type { CommandContext } from "./command-context.js";
import { printList } from "./print-list.js";
import type { Colours } from "./output/colours.js";
import { timeText } from "./output/figures.js";
import type { Column } from "./output/table.js";
import { addQueryArgument, queryOf, wholeNumber } from "./query-argument.js";
import { listed, tokensText } from "./trace-columns.js";

interface SessionsFlags extends CollectorFlags {
  readonly sort: string;
  readonly limit: number;
}

/** `obspan sessions [query]`. */
export function configure(command: Command, context: CommandContext): void {
  addCollectorOptions(addQueryArgument(command))
    .addOption(
      new Option("--sort <order>", "order of the sessions")
        .choices(["newest", "slowest", "costliest"])
        .default("newest"),
    )
    .option("--limit <n>", "sessions at most", wholeNumber(1, 10_000), 20)
    .addHelpText("after", "\nThe traces of one session: obspan traces session:<id> --sort start")
    .action(
      context.action(async (words: string[], flags: SessionsFlags) => {
        const client = collectorOf(flags, context);
        return await printList<SessionSummary>({
          flags,
          output: context.output,
          nothing: "No session matches.",
          columns: () => sessionColumns(context.output.colours, new Date()),
          read: async (page) => {
            const list = await client.get<SessionList>("/v1/sessions", "sessions", {
              query: queryOf(words),
              order: flags.sort,
              ...page,
            });
            return { items: list.sessions, next: list.next_cursor };
          },
        });
      }),
    );
}

function sessionColumns(colours: Colours, now: Date): Column<SessionSummary>[] {
  return [
    { title: "SESSION", text: ({ session_id: id }) => id, min: 12, colour: () => colours.cyan },
    { title: "LAST", text: ({ last_time: last }) => timeText(last, now) },
    { title: "TENANT", text: ({ tenant }) => tenant, min: 8, rank: 6 },
    { title: "USER", text: ({ user_id: user }) => user ?? "", min: 8, rank: 4 },
    { title: "AGENT", text: ({ agents }) => listed(agents), min: 10, rank: 5 },
    { title: "TRACES", text: ({ traces }) => traces.toLocaleString("en-US"), align: "right" },
    {
      title: "ERRORS",
      text: ({ errors }) => (errors === 0 ? "" : errors.toLocaleString("en-US")),
      align: "right",
      colour: () => colours.red,
    },
    { title: "ACTIVE", text: ({ active_ms: ms }) => durationText(ms), align: "right" },
    { title: "TOKENS", text: tokensText, align: "right", rank: 1 },
    { title: "COST", text: (session) => costOfSum(session) ?? "", align: "right" },
    { title: "FEEDBACK", text: feedbackText, rank: 3 },
    {
      title: "FIRST INPUT",
      text: ({ first_input_preview: input }) => input ?? "",
      min: 16,
      rank: 2,
      colour: () => colours.dim,
    },
  ];
}

function feedbackText({ feedback: { up, down }, running }: SessionSummary): string {
  const votes = [up > 0 ? `+${up}` : "", down > 0 ? `-${down}` : ""].filter((part) => part !== "").join(" ");
  return running ? `running ${votes}`.trimEnd() : votes;
}
